// SPDX-License-Identifier: MIT
#include "benchmarks/simcore/kernel/ns3/ns3_hold.h"

#include <ns3/core-module.h>

#include <chrono>

namespace {

class Hold {
 public:
  Hold(std::size_t warm_up, std::size_t events, const std::vector<std::int64_t>& increments_ns)
      : warm_up_(warm_up), last_(warm_up + events), increments_ns_(increments_ns) {}

  void schedule() {
    if (next_ == increments_ns_.size()) next_ = 0;
    ns3::Simulator::Schedule(ns3::NanoSeconds(increments_ns_[next_++]), &Hold::fire, this);
  }

  double events_per_second() const {
    const std::chrono::duration<double> took = end_ - start_;
    return static_cast<double>(last_ - warm_up_) / took.count();
  }

 private:
  void fire() {
    if (fired_ == warm_up_) start_ = std::chrono::steady_clock::now();
    if (fired_ == last_) {
      end_ = std::chrono::steady_clock::now();
      ns3::Simulator::Stop();
      return;
    }
    ++fired_;
    schedule();
  }

  std::size_t warm_up_;
  std::size_t last_;
  const std::vector<std::int64_t>& increments_ns_;
  std::size_t next_ = 0;
  std::size_t fired_ = 0;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point end_;
};

}  // namespace

double ns3_rate(const std::string& scheduler, std::size_t pending, std::size_t events,
                const std::vector<std::int64_t>& increments_ns) {
  ns3::ObjectFactory factory;
  factory.SetTypeId(scheduler);
  ns3::Simulator::SetScheduler(factory);
  Hold hold(pending, events, increments_ns);
  for (std::size_t i = 0; i < pending; ++i) hold.schedule();
  ns3::Simulator::Run();
  ns3::Simulator::Destroy();
  return hold.events_per_second();
}
