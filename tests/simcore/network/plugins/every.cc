// SPDX-License-Identifier: MIT
// Every nth segment is lost, and the others are delayed by their number of bytes.
#include "simcore/plugin/plugin.h"

class Every final : public hybridnet::LossModel, public hybridnet::DelayModel {
 public:
  explicit Every(hybridnet::Setup& setup)
      : every_(setup.whole("every")), ns_per_byte_(setup.whole("ns_per_byte", 1'000)) {
    if (every_ < 1) throw std::invalid_argument("every must be 1 or more");
  }

  bool lost(const hybridnet::Packet&, hybridnet::Random&) override { return ++seen_ % every_ == 0; }

  std::int64_t delay_ns(const hybridnet::Packet& packet, hybridnet::Random&) override {
    return packet.length() * ns_per_byte_;
  }

 private:
  std::int64_t every_;
  std::int64_t ns_per_byte_;
  std::int64_t seen_ = 0;
};

HYBRIDNET_PLUGIN(Every)
