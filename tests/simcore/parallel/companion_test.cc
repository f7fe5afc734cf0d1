// SPDX-License-Identifier: MIT
//
// What takes turns with the events of a partition.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "simcore/kernel/event_queue.h"
#include "simcore/parallel/partition.h"

namespace simcore {
namespace {

using Log = std::vector<std::string>;

SimTime at_us(std::int64_t us) { return SimTime::zero() + Duration::us(us); }

// Has something to do at each of some instants, and goes as far as it may.
class Worker final : public Companion {
 public:
  Worker(Log& log, std::vector<SimTime> instants) : log_(log), instants_(std::move(instants)) {}

  SimTime next_event() override { return done_ == instants_.size() ? SimTime::never() : instants_[done_]; }
  void run_before(SimTime bound) override {
    for (; next_event() < bound; ++done_) {
      log_.push_back("worker at " + std::to_string(instants_[done_].count_ns() / 1'000));
    }
    log_.push_back("until " + std::to_string(bound.count_ns() / 1'000));
  }

 private:
  Log& log_;
  std::vector<SimTime> instants_;
  std::size_t done_ = 0;
};

class Noted final : public Event {
 public:
  explicit Noted(Log& log) : log_(log) {}
  void fire() override { log_.push_back("event"); }

 private:
  Log& log_;
};

TEST(Companion, TakesTurnsWithTheEventsWhichComeFirstAtOneInstant) {
  Log log;
  Partition partition(1, 0, 1);
  Worker worker(log, {at_us(1), at_us(2), at_us(5), at_us(6), at_us(9)});
  partition.accompany(worker);
  Noted event(log);
  partition.network().simulation().schedule(event, at_us(5));
  EXPECT_EQ(partition.next_event(), at_us(1));
  partition.run_before(at_us(7));
  EXPECT_EQ(log,
            (Log{"worker at 1", "worker at 2", "until 5", "event", "worker at 5", "worker at 6", "until 7"}));
  EXPECT_EQ(partition.next_event(), at_us(9));
}

}  // namespace
}  // namespace simcore
