// SPDX-License-Identifier: MIT
// 1 Mbit/s for the first frame, and twice as much for each that follows.
#include "simcore/plugin/plugin.h"

class Doubling final : public hybridnet::RateModel {
 public:
  explicit Doubling(hybridnet::Setup&) {}

  std::int64_t bits_per_second(const hybridnet::Packet&, hybridnet::Random&) override {
    rate_ *= 2;
    return rate_;
  }

 private:
  std::int64_t rate_ = 500'000;
};

HYBRIDNET_PLUGIN(Doubling)
