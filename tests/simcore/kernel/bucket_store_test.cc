// SPDX-License-Identifier: MIT
#include "simcore/kernel/bucket_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "simcore/kernel/random.h"

namespace simcore {
namespace {

// The store never looks into an event, so any address will do.
Event* event(std::size_t number) { return reinterpret_cast<Event*>(64 * (number + 1)); }

std::vector<Event*> contents(const BucketStore& store, std::size_t bucket) {
  std::vector<Event*> events;
  store.for_each(bucket, [&](const BucketStore::Entry& entry) { events.push_back(entry.event); });
  std::sort(events.begin(), events.end());
  return events;
}

TEST(BucketStore, holdsWhatWasAddedUntilItIsRemoved) {
  BucketStore store;
  RandomStream random(1, "buckets");
  std::map<Event*, BucketStore::Place> places;
  std::map<std::size_t, std::vector<Event*>> expected;
  for (std::size_t i = 0; i < 500; ++i) {
    const std::size_t bucket = 100 + random() % 4;
    places[event(i)] = store.add(bucket, SimTime::at_ns(5), event(i));
    expected[bucket].push_back(event(i));
    ASSERT_EQ(store.bucket_of(places[event(i)]), bucket);
  }
  for (auto& [bucket, events] : expected) {
    while (!events.empty()) {
      ASSERT_EQ(store.count(bucket), events.size());
      ASSERT_EQ(contents(store, bucket), events);
      const std::size_t victim = random() % events.size();
      const BucketStore::Place place = places[events[victim]];
      if (Event* const moved = store.remove(place)) places[moved] = place;
      events.erase(events.begin() + static_cast<std::ptrdiff_t>(victim));
    }
    EXPECT_EQ(store.count(bucket), 0U);
  }
}

TEST(BucketStore, knowsBeforeWhatABucketHasNothing) {
  BucketStore store;
  std::vector<BucketStore::Place> places;
  for (const std::int64_t time : {30, 10, 20}) {
    places.push_back(store.add(7, SimTime::at_ns(time), event(static_cast<std::size_t>(time))));
  }
  EXPECT_EQ(store.none_before(7), SimTime::at_ns(10));
  EXPECT_EQ(store[places[1]].event, event(10));
  store.remove(places[1]);
  EXPECT_EQ(store.none_before(7), SimTime::at_ns(10));  // nobody has looked for the next
  store.set_none_before(7, SimTime::at_ns(20));
  EXPECT_EQ(store.none_before(7), SimTime::at_ns(20));
  store.drain(7, [](const BucketStore::Entry&) {});
  store.add(7, SimTime::at_ns(40), event(40));
  EXPECT_EQ(store.none_before(7), SimTime::at_ns(40));
  EXPECT_EQ(store.any(7).event, event(40));
}

TEST(BucketStore, drainEmptiesABucketIntoOthers) {
  BucketStore store;
  for (std::size_t i = 0; i < 100; ++i) store.add(7, SimTime::at_ns(static_cast<std::int64_t>(i)), event(i));
  store.drain(7, [&](const BucketStore::Entry& entry) {
    store.add(entry.time.count_ns() % 2 == 0 ? 1 : 2, entry.time, entry.event);
  });
  EXPECT_EQ(store.count(7), 0U);
  EXPECT_EQ(contents(store, 1).size(), 50U);
  EXPECT_EQ(contents(store, 2).size(), 50U);
}

TEST(BucketStore, takesNoMoreMemoryThanTheEventsThatWereTogether) {
  BucketStore store;
  for (std::size_t round = 0; round < 1'000; ++round) {
    for (std::size_t i = 0; i < 100; ++i) store.add(round % 50, SimTime::at_ns(1), event(i));
    store.drain(round % 50, [](const BucketStore::Entry&) {});
  }
  EXPECT_LE(store.chunks(), 4U);  // 31 events to a chunk
}

}  // namespace
}  // namespace simcore
