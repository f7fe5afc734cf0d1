// SPDX-License-Identifier: MIT
//
// QueueDiscipline: who waits for the transmitter of a ServedLink, in which order they leave, and who is dropped or marked.
//
//   enqueue() --> [ may drop or mark ] --> [ waits ] --> [ may drop or mark ] --> dequeue()
//
// All packets are single frames; while one waits, its first_arrival is when it came. The frame that is being sent
// does not wait any more.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "simcore/link/drop_counters.h"
#include "simcore/packet/packet.h"
#include "simcore/units/data.h"
#include "simcore/units/time.h"

namespace simcore {

class QueueDiscipline {
 public:
  struct Counters {
    std::uint64_t accepted = 0;  // delivered + dropped + waiting
    std::uint64_t delivered = 0;
    std::uint64_t marked = 0;                   // CE instead of a drop
    std::int64_t most_waiting = 0;              // packets
    Duration sojourn_total = Duration::zero();  // of those delivered, from enqueue to dequeue
    Duration sojourn_longest = Duration::zero();
    DropCounters dropped;
  };

  QueueDiscipline() = default;
  QueueDiscipline(const QueueDiscipline&) = delete;
  QueueDiscipline& operator=(const QueueDiscipline&) = delete;
  virtual ~QueueDiscipline() = default;

  // `sending` is what the transmitter is busy with: the sizes of a frame, or zero.
  void enqueue(PacketPtr packet, SimTime now, ByteCount sending) {
    ++counters_.accepted;
    admit(std::move(packet), now, sending);
    counters_.most_waiting = std::max(counters_.most_waiting, packets());
  }

  // Who goes next; null when nobody does.
  PacketPtr dequeue(SimTime now) {
    PacketPtr packet = release(now);
    if (!packet) return nullptr;
    ++counters_.delivered;
    const Duration sojourn = now - packet->first_arrival;
    counters_.sojourn_total += sojourn;
    counters_.sojourn_longest = std::max(counters_.sojourn_longest, sojourn);
    return packet;
  }

  // Takes a packet in which has been let in before, by whatever was here before this queue: it drops none.
  void adopt(PacketPtr packet) {
    ++counters_.accepted;
    hold(std::move(packet));
    counters_.most_waiting = std::max(counters_.most_waiting, packets());
  }

  // Gives away all that waits, in the order in which it came.
  std::vector<PacketPtr> surrender() {
    std::vector<PacketPtr> all = drain();
    counters_.accepted -= all.size();
    return all;
  }

  // Takes the place of `before`: its counts go on here, and what waits there waits here, since when it came.
  void replace(QueueDiscipline& before) {
    std::vector<PacketPtr> all = before.surrender();
    counters_ = before.counters_;
    for (PacketPtr& packet : all) adopt(std::move(packet));
  }

  // Calls `see` with each packet that waits, in an order in which they might leave.
  virtual void look(const std::function<void(const Packet&)>& see) const = 0;

  // What waits now.
  virtual std::int64_t packets() const = 0;
  virtual ByteCount bytes() const = 0;

  const Counters& counters() const { return counters_; }

 protected:
  virtual void admit(PacketPtr packet, SimTime now, ByteCount sending) = 0;
  virtual PacketPtr release(SimTime now) = 0;
  // Puts the packet behind those that wait, whatever the limit.
  virtual void hold(PacketPtr packet) = 0;
  // All that waits, in the order in which it came.
  virtual std::vector<PacketPtr> drain() = 0;

  // Destroys the packet.
  void drop(PacketPtr packet, DropReason reason) { counters_.dropped.add(reason, packet->segments); }

  Counters counters_;
};

}  // namespace simcore
