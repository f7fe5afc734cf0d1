// SPDX-License-Identifier: MIT
#include "simcore/tcp/congestion_control.h"

#include "simcore/tcp/bbr.h"
#include "simcore/tcp/bbr3.h"
#include "simcore/tcp/cubic.h"
#include "simcore/tcp/dctcp.h"
#include "simcore/tcp/htcp.h"
#include "simcore/tcp/illinois.h"
#include "simcore/tcp/ledbat.h"
#include "simcore/tcp/linux_cubic.h"
#include "simcore/tcp/reno.h"
#include "simcore/tcp/scalable.h"
#include "simcore/tcp/vegas.h"
#include "simcore/tcp/westwood.h"
#include "simcore/tcp/yeah.h"

namespace simcore {

namespace {

// The window is never the limit.
class Unlimited final : public CongestionControl {
 public:
  void on_ack(const AckSample&, CongestionWindow& window) override { window.cwnd = kNoLimit; }
  std::int64_t reduced(CongestionEvent, const CongestionWindow&, std::int64_t, SimTime) override {
    return kNoLimit;
  }
  bool owns_window() const override { return true; }

 private:
  static constexpr std::int64_t kNoLimit = std::int64_t{1} << 40;
};

}  // namespace

std::unique_ptr<CongestionControl> CongestionControl::make(const TcpOptions& options) {
  switch (options.congestion) {
    case CongestionAlgorithm::none:
      return std::make_unique<Unlimited>();
    case CongestionAlgorithm::reno:
      return std::make_unique<Reno>(options);
    case CongestionAlgorithm::vegas:
      return std::make_unique<Vegas>(options);
    case CongestionAlgorithm::cubic:
      if (options.cubic_of_linux) return std::make_unique<LinuxCubic>(options);
      return std::make_unique<Cubic>(options);
    case CongestionAlgorithm::bbr:
      return std::make_unique<Bbr>(options);
    case CongestionAlgorithm::bbr3:
      return std::make_unique<Bbr3>(options);
    case CongestionAlgorithm::scalable:
      return std::make_unique<Scalable>(options);
    case CongestionAlgorithm::westwood:
      return std::make_unique<Westwood>(options);
    case CongestionAlgorithm::htcp:
      return std::make_unique<HTcp>(options);
    case CongestionAlgorithm::illinois:
      return std::make_unique<Illinois>(options);
    case CongestionAlgorithm::yeah:
      return std::make_unique<Yeah>(options);
    case CongestionAlgorithm::ledbat:
      return std::make_unique<Ledbat>();
    case CongestionAlgorithm::dctcp:
      return std::make_unique<Dctcp>(options);
  }
  __builtin_unreachable();
}

}  // namespace simcore
