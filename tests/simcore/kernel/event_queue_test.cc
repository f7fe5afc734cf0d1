// SPDX-License-Identifier: MIT
#include "simcore/kernel/event_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "simcore/kernel/random.h"

namespace simcore {
namespace {

class Tag final : public Event {
 public:
  explicit Tag(std::size_t which) : number(which) {}
  const std::size_t number;

 private:
  void fire() override {}
};

std::vector<std::unique_ptr<Tag>> tags(std::size_t count) {
  std::vector<std::unique_ptr<Tag>> events;
  for (std::size_t i = 0; i < count; ++i) events.push_back(std::make_unique<Tag>(i));
  return events;
}

std::size_t popped(EventQueue& queue) { return static_cast<Tag&>(queue.pop()).number; }

TEST(EventQueue, popsInOrderOfTime) {
  const auto events = tags(3);
  EventQueue queue;
  queue.schedule(*events[0], SimTime::at_ns(30));
  queue.schedule(*events[1], SimTime::at_ns(10));
  queue.schedule(*events[2], SimTime::at_ns(20));
  EXPECT_EQ(queue.next_time(), SimTime::at_ns(10));
  EXPECT_EQ(popped(queue), 1U);
  EXPECT_EQ(popped(queue), 2U);
  EXPECT_EQ(popped(queue), 0U);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.next_time(), SimTime::never());
}

// Notes what the queue asks of it.
class Fetched final : public Event {
 public:
  mutable std::vector<int> steps;

 private:
  void fire() override {}
  void fetch(int step) const override { steps.push_back(step); }
};

std::vector<std::unique_ptr<Fetched>> fetched_while(std::size_t pending) {
  std::vector<std::unique_ptr<Fetched>> events;
  EventQueue queue;
  for (std::size_t i = 0; i < pending; ++i) {
    events.push_back(std::make_unique<Fetched>());
    queue.schedule(*events.back(), SimTime::at_ns(static_cast<std::int64_t>(1'000 * i)));
  }
  for (std::size_t i = 0; i < pending; ++i) {
    const std::size_t before = events[i]->steps.size();
    EXPECT_EQ(&queue.pop(), events[i].get());
    EXPECT_EQ(events[i]->steps.size(), before) << "it fires now";
  }
  return events;
}

TEST(EventQueue, ofManyEventsMostFetchWhatTheyWillUseInStepsBeforeTheyFire) {
  const std::vector<int> all{0, 1, 2};
  std::size_t complete = 0;
  const auto events = fetched_while(2'000);
  for (const auto& event : events) {
    EXPECT_TRUE(std::ranges::is_sorted(event->steps) && event->steps.size() <= all.size());
    complete += event->steps == all ? 1 : 0;
  }
  EXPECT_GT(complete, events.size() / 2);
}

TEST(EventQueue, fewEventsFetchNothing) {
  for (const auto& event : fetched_while(100)) EXPECT_TRUE(event->steps.empty());
}

TEST(EventQueue, anEventAloneAfterManyWereCancelledComesBeforeThoseThatAreScheduledAgain) {
  const auto events = tags(1'000);
  EventQueue queue;
  for (const auto& event : events) queue.schedule(*event, SimTime::at_ns(1'000'000));
  for (const auto& event : events) queue.cancel(*event);
  ASSERT_TRUE(queue.empty());
  Tag alone(1'000);
  queue.schedule(alone, SimTime::at_ns(2'000'000));
  EXPECT_EQ(queue.next_time(), SimTime::at_ns(2'000'000));
  EXPECT_EQ(popped(queue), 1'000U);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.next_time(), SimTime::never());
  queue.schedule(alone, SimTime::at_ns(3'000'000));
  for (const auto& event : events) queue.schedule(*event, SimTime::at_ns(3'000'000));
  EXPECT_EQ(popped(queue), 1'000U);
  for (const auto& event : events) ASSERT_EQ(popped(queue), event->number);
  queue.schedule(alone, SimTime::at_ns(4'000'000));
  queue.cancel(alone);
  EXPECT_EQ(queue.next_time(), SimTime::never());
}

TEST(EventQueue, eventsOfOneInstantComeInTheOrderOfScheduling) {
  const auto events = tags(1'000);
  EventQueue queue;
  for (const auto& event : events) queue.schedule(*event, SimTime::at_ns(123'456'789));
  for (std::size_t i = 0; i < events.size(); ++i) EXPECT_EQ(popped(queue), i);
}

TEST(EventQueue, ranksComeFirstAtAnInstantHoweverTheyWereScheduled) {
  constexpr std::size_t kEvents = 1'000;  // more than the front holds
  const auto events = tags(kEvents);
  EventQueue queue;
  for (std::size_t i = 0; i < kEvents / 2; ++i) events[i]->set_rank(i);
  for (std::size_t i = 0; i < kEvents; ++i) {
    // The second half in order, the first half from its end.
    const std::size_t which = i % 2 == 0 ? (kEvents + i) / 2 : (kEvents - i) / 2;
    queue.schedule(*events[which], SimTime::at_ns(123'456'789));
  }
  for (std::size_t i = 0; i < kEvents; ++i) EXPECT_EQ(popped(queue), i);
}

TEST(EventQueue, aRankedEventThatIsScheduledForNowComesBeforeThoseThatWait) {
  const auto events = tags(4);
  EventQueue queue;
  events[1]->set_rank(7);
  events[3]->set_rank(9);
  for (const std::size_t i : {0U, 2U, 3U}) queue.schedule(*events[i], SimTime::at_ns(10));
  EXPECT_EQ(popped(queue), 3U);
  queue.schedule(*events[1], SimTime::at_ns(10));
  EXPECT_EQ(popped(queue), 1U);
  queue.schedule(*events[1], SimTime::at_ns(10));  // it keeps its rank
  EXPECT_EQ(popped(queue), 1U);
  EXPECT_EQ(popped(queue), 0U);
  EXPECT_EQ(popped(queue), 2U);
}

TEST(EventQueue, reschedulingForTheSameInstantGoesBehindTheOthers) {
  const auto events = tags(2);
  EventQueue queue;
  queue.schedule(*events[0], SimTime::at_ns(10));
  queue.schedule(*events[1], SimTime::at_ns(10));
  queue.schedule(*events[0], SimTime::at_ns(10));
  EXPECT_EQ(queue.size(), 2U);
  EXPECT_EQ(popped(queue), 1U);
  EXPECT_EQ(popped(queue), 0U);
}

TEST(EventQueue, aCancelledEventIsGoneAndMayComeBack) {
  const auto events = tags(1);
  EventQueue queue;
  queue.cancel(*events[0]);
  queue.schedule(*events[0], SimTime::at_ns(10));
  queue.cancel(*events[0]);
  EXPECT_FALSE(events[0]->pending());
  EXPECT_TRUE(queue.empty());
  queue.schedule(*events[0], SimTime::at_ns(5));
  EXPECT_EQ(queue.next_time(), SimTime::at_ns(5));
  EXPECT_EQ(popped(queue), 0U);
}

TEST(EventQueue, takesTheFirstAndTheLastInstantThereIs) {
  const auto events = tags(3);
  EventQueue queue;
  queue.schedule(*events[0], SimTime::never());
  queue.schedule(*events[1], SimTime::zero());
  queue.schedule(*events[2], SimTime::never());
  EXPECT_EQ(popped(queue), 1U);
  EXPECT_EQ(popped(queue), 0U);
  EXPECT_EQ(popped(queue), 2U);
}

// Every operation against a std::set ordered by (time, sequence), at many scales of time and of population.
struct Mix {
  std::size_t population;
  std::int64_t horizon_ns;
  double ties;         // how often an event takes the instant of another one
  double cancel;       // how often an operation is a cancellation, or a rescheduling
  double asked = 1.0;  // how often somebody asks for the next instant after an operation
};

class EventQueueAgainstSet : public testing::TestWithParam<Mix> {};

TEST_P(EventQueueAgainstSet, agreesOnEveryOperation) {
  const Mix mix = GetParam();
  const auto events = tags(mix.population);
  RandomStream random(42, "event queue");
  EventQueue queue;
  std::set<std::pair<std::pair<std::int64_t, std::uint64_t>, std::size_t>> reference;
  std::vector<std::pair<std::int64_t, std::uint64_t>> key(mix.population);
  std::uint64_t sequence = 0;
  std::int64_t now = 0;
  std::int64_t latest = 0;

  for (int step = 0; step < 60'000; ++step) {
    const double what = random.uniform();
    const std::size_t i = random() % mix.population;
    if (what < mix.cancel) {
      if (events[i]->pending()) reference.erase({key[i], i});
      queue.cancel(*events[i]);
      ASSERT_FALSE(events[i]->pending());
    } else if (what < 0.6) {
      // Increments over all scales up to the horizon, as timers and wires have them.
      const double scale = static_cast<double>(mix.horizon_ns) * random.uniform() * random.uniform();
      std::int64_t time = now + static_cast<std::int64_t>(random.exponential(scale));
      if (random.bernoulli(mix.ties)) time = std::max(now, latest);
      latest = time;
      if (events[i]->pending()) reference.erase({key[i], i});
      key[i] = {time, sequence++};
      reference.insert({key[i], i});
      queue.schedule(*events[i], SimTime::at_ns(time));
      ASSERT_TRUE(events[i]->pending());
    } else if (!reference.empty()) {
      const auto [first, number] = *reference.begin();
      if (random.bernoulli(mix.asked)) {
        ASSERT_EQ(queue.next_time(), SimTime::at_ns(first.first));
      }
      ASSERT_EQ(popped(queue), number);
      ASSERT_FALSE(events[number]->pending());
      reference.erase(reference.begin());
      now = first.first;
    }
    ASSERT_EQ(queue.size(), reference.size());
    const SimTime next =
        reference.empty() ? SimTime::never() : SimTime::at_ns(reference.begin()->first.first);
    ASSERT_LE(queue.none_before(), next);
    if (random.bernoulli(mix.asked)) {
      ASSERT_EQ(queue.next_time(), next);
    }
    const SimTime limit = SimTime::at_ns(now + static_cast<std::int64_t>(random() % 100));
    if (random.bernoulli(mix.asked)) {
      ASSERT_EQ(queue.due(limit), !reference.empty() && next <= limit);
    }
  }
  while (!reference.empty()) {
    ASSERT_EQ(popped(queue), reference.begin()->second);
    reference.erase(reference.begin());
  }
  EXPECT_TRUE(queue.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Mixes, EventQueueAgainstSet,
    testing::Values(Mix{1, 1'000, 0.1, 0.1}, Mix{10, 1'000'000'000, 0.1, 0.1}, Mix{300, 50, 0.5, 0.2},
                    Mix{3'000, 1'000'000, 0.3, 0.05}, Mix{3'000, 100'000'000'000'000, 0.0, 0.3},
                    Mix{20'000, 10'000'000, 0.01, 0.0}, Mix{20, 1'000'000, 0.1, 0.3, 0.1},
                    Mix{1'000, 1'000'000'000, 0.1, 0.3, 0.01}, Mix{1'000, 100'000, 0.3, 0.4, 0.0},
                    Mix{3'000, 100'000'000'000'000, 0.1, 0.1, 0.01}));

// As TCP's timers: thousands are moved on and on, some are cancelled, started again or gone, and few ever fire.
TEST(EventQueue, timersThatAreMovedAgainAndAgainFireInTheOrderOfTheirLastInstants) {
  constexpr std::size_t kTimers = 3'000;
  constexpr std::int64_t kMillisecond = 1'000'000;
  auto timers = tags(kTimers);
  Tag tick(kTimers);
  EventQueue queue;
  RandomStream random(5, "timers");
  std::set<std::pair<std::pair<std::int64_t, std::uint64_t>, std::size_t>> reference;
  std::vector<std::pair<std::int64_t, std::uint64_t>> key(kTimers + 1);
  std::uint64_t sequence = 0;
  const auto schedule = [&](Tag& event, std::int64_t time) {
    if (event.pending()) reference.erase({key[event.number], event.number});
    key[event.number] = {time, sequence++};
    reference.insert({key[event.number], event.number});
    queue.schedule(event, SimTime::at_ns(time));
  };
  for (const auto& timer : timers) schedule(*timer, 200 * kMillisecond);
  schedule(tick, 0);
  std::size_t fired = 0;
  for (std::int64_t now = 0; now < 4'000 * kMillisecond;) {
    const auto [first, number] = *reference.begin();
    reference.erase(reference.begin());
    ASSERT_EQ(popped(queue), number);
    now = first.first;
    if (number < kTimers) {
      ++fired;
      schedule(*timers[number], now + 3'000 * kMillisecond);
      continue;
    }
    schedule(tick, now + kMillisecond);
    for (int moved = 0; moved < 20; ++moved) {
      const std::size_t which = random() % kTimers;
      if (random.bernoulli(0.05)) {
        if (timers[which]->pending()) reference.erase({key[which], which});
        if (random.bernoulli(0.5)) {
          queue.cancel(*timers[which]);
        } else {
          timers[which] = std::make_unique<Tag>(which);
        }
        ASSERT_EQ(queue.size(), reference.size());
      } else {
        const bool backwards = random.bernoulli(0.1);
        schedule(*timers[which], now + (backwards ? 1 : 200) * kMillisecond);
      }
    }
  }
  EXPECT_GT(fired, kTimers / 2);  // the first time, before anybody has moved them
}

TEST(EventQueue, aTimerThatWasMovedOnIsShownWhereItWillFire) {
  constexpr std::size_t kTimers = 500;
  const auto timers = tags(kTimers);
  EventQueue queue;
  for (std::size_t i = 0; i < kTimers; ++i) {
    queue.schedule(*timers[i], SimTime::at_ns(1'000'000 + static_cast<std::int64_t>(i)));
  }
  for (std::size_t i = 0; i < kTimers; i += 2) {
    queue.schedule(*timers[i], SimTime::at_ns(900'000'000 - static_cast<std::int64_t>(i)));
  }
  queue.cancel(*timers[1]);
  const auto due = queue.earliest(kTimers);
  ASSERT_EQ(due.size(), kTimers - 1);
  for (std::size_t k = 0; k < 249; ++k) EXPECT_EQ(due[k].event, timers[2 * k + 3].get());
  for (std::size_t k = 249; k < 499; ++k) EXPECT_EQ(due[k].event, timers[498 - 2 * (k - 249)].get());
  EXPECT_EQ(queue.earliest(250)[249].event, timers[498].get());
  EXPECT_EQ(queue.next_time(), SimTime::at_ns(1'000'003));
}

// The front of the queue reaches far when little is pending; what then comes before must not pile up there.
TEST(EventQueue, aBurstBeforeFarEventsComesOutSorted) {
  for (const std::size_t far : {std::size_t{1}, std::size_t{1'000}}) {
    const auto events = tags(far + 50'000);
    RandomStream random(1, "burst");
    EventQueue queue;
    for (std::size_t i = 0; i < far; ++i) {
      queue.schedule(*events[i],
                     SimTime::zero() + Duration::seconds(1'000) + Duration::ns(static_cast<int>(i)));
    }
    std::multiset<std::int64_t> expected;
    for (std::size_t i = far; i < events.size(); ++i) {
      const auto time = static_cast<std::int64_t>(random() % 1'000'000'000);
      queue.schedule(*events[i], SimTime::at_ns(time));
      expected.insert(time);
    }
    for (const std::int64_t time : expected) {
      ASSERT_EQ(queue.next_time(), SimTime::at_ns(time));
      queue.pop();
    }
    for (std::size_t i = 0; i < far; ++i) ASSERT_EQ(popped(queue), i);
  }
}

TEST(EventQueue, manyEventsComeOutSorted) {
  const auto events = tags(200'000);
  RandomStream random(1, "many");
  EventQueue queue;
  for (const auto& event : events)
    queue.schedule(*event, SimTime::at_ns(static_cast<std::int64_t>(random() >> 20)));
  SimTime last = SimTime::zero();
  while (!queue.empty()) {
    ASSERT_LE(last, queue.next_time());
    last = queue.next_time();
    queue.pop();
  }
}

TEST(EventQueue, showsWhatIsToComeInItsOrderAndChangesNothing) {
  constexpr std::size_t kEvents = 2'000;  // in the front and in buckets of several levels
  const auto events = tags(kEvents);
  EventQueue queue;
  RandomStream random(3, "times");
  for (const auto& event : events) {
    const auto magnitude = random() % 40;
    queue.schedule(*event,
                   SimTime::at_ns(static_cast<std::int64_t>(random() % (std::uint64_t{1} << magnitude))));
  }
  for (std::size_t left = kEvents; left > 0; left -= 100) {
    const auto some = queue.earliest(37);
    const auto all = queue.earliest(kEvents + 1);
    ASSERT_EQ(some.size(), 37U);
    ASSERT_EQ(all.size(), left);
    ASSERT_EQ(queue.size(), left);
    for (std::size_t i = 0; i < 37; ++i) EXPECT_EQ(some[i].event, all[i].event);
    for (std::size_t i = 0; i < 100; ++i) {
      EXPECT_EQ(all[i].time, queue.next_time());
      EXPECT_EQ(&queue.pop(), all[i].event);
    }
  }
  EXPECT_TRUE(queue.earliest(1).empty());
}

}  // namespace
}  // namespace simcore
