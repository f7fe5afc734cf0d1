// SPDX-License-Identifier: MIT
//
// Losses come in bursts, and hit long frames more: a radio channel that is good or bad. In a bad moment each bit is
// damaged with the same probability, so a frame survives with (1 - p) to the power of its bits.
//
//   hybridnet plugin build bursty_loss.cc
//   hybridnet wire eth1 eth2 --model ./bursty_loss.so:good=200ms:bad=20ms:bit_error_rate=0.0001
#include <hybridnet/plugin.h>

#include <cmath>

class BurstyLoss final : public hybridnet::LossModel {
 public:
  explicit BurstyLoss(hybridnet::Setup& setup)
      : good_ns_(setup.duration_ns("good")),
        bad_ns_(setup.duration_ns("bad")),
        bit_error_rate_(setup.probability("bit_error_rate")) {}

  bool lost(const hybridnet::Packet& packet, hybridnet::Random& random) override {
    while (packet.time_ns() >= until_ns_) {
      bad_ = !bad_;
      const auto mean = static_cast<double>(bad_ ? bad_ns_ : good_ns_);
      until_ns_ += 1 + std::llround(random.exponential(mean));
    }
    if (!bad_) return false;
    return random.chance(1 - std::pow(1 - bit_error_rate_, 8.0 * static_cast<double>(packet.length())));
  }

 private:
  std::int64_t good_ns_;
  std::int64_t bad_ns_;
  double bit_error_rate_;
  bool bad_ = true;
  std::int64_t until_ns_ = 0;
};

HYBRIDNET_PLUGIN(BurstyLoss)
