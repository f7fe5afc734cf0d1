// SPDX-License-Identifier: MIT
// Throws when it is asked for the third time.
#include <stdexcept>

#include "simcore/plugin/plugin.h"

class Thrower final : public hybridnet::LossModel {
 public:
  explicit Thrower(hybridnet::Setup&) {}

  bool lost(const hybridnet::Packet&, hybridnet::Random&) override {
    if (++asked_ == 3) throw std::runtime_error("the third one is too much");
    return false;
  }

 private:
  int asked_ = 0;
};

HYBRIDNET_PLUGIN(Thrower)
