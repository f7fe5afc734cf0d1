// SPDX-License-Identifier: MIT
//
// A satellite that passes overhead: the delay follows its distance, and the rate falls with it. Both are asked of one
// object, so they share what it knows.
//
//   hybridnet plugin build satellite.cc
//   hybridnet wire eth1 eth2 --model "./satellite.so:height=550:speed=7.6:best=100000000"
#include <hybridnet/plugin.h>

#include <cmath>

class Satellite final : public hybridnet::DelayModel, public hybridnet::RateModel {
 public:
  explicit Satellite(hybridnet::Setup& setup)
      : height_km_(setup.number("height", 550)),
        speed_km_s_(setup.number("speed", 7.6)),
        reach_km_(setup.number("reach", 1'000)),
        best_(setup.whole("best", 100'000'000)) {
    if (height_km_ <= 0 || speed_km_s_ <= 0 || reach_km_ <= 0) {
      throw std::invalid_argument("height, speed and reach must be above 0");
    }
  }

  std::int64_t delay_ns(const hybridnet::Packet& packet, hybridnet::Random&) override {
    return std::llround(distance_km(packet.time_ns()) / kLightKmPerNs);
  }

  // The received power, and so the rate, falls with the square of the distance.
  std::int64_t bits_per_second(const hybridnet::Packet& packet, hybridnet::Random&) override {
    const double share = height_km_ / distance_km(packet.time_ns());
    return 1 + std::llround(share * share * static_cast<double>(best_));
  }

 private:
  static constexpr double kLightKmPerNs = 299'792.458e-9;

  // It comes from -reach to reach over ground, and then the next one does.
  double distance_km(std::int64_t time_ns) const {
    const double gone = speed_km_s_ * static_cast<double>(time_ns) * 1e-9;
    return std::hypot(std::fmod(gone, 2 * reach_km_) - reach_km_, height_km_);
  }

  double height_km_;
  double speed_km_s_;
  double reach_km_;
  std::int64_t best_;
};

HYBRIDNET_PLUGIN(Satellite)
