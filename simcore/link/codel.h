// SPDX-License-Identifier: MIT
//
// CoDel: controlled delay (RFC 8289). When packets have stood in the queue for longer than `target` during an
// `interval`, one is dropped when it would leave, and the next after interval / sqrt(number of drops), until the
// sojourn time is below the target.
//
// CodelControl is the control alone, over any queue (FqCodel has one per flow); Codel is the queue discipline.
#pragma once

#include <cstdint>
#include <memory>

#include "simcore/link/packet_fifo.h"
#include "simcore/link/queue_discipline.h"
#include "simcore/link/queue_model.h"

namespace simcore {

template <class T>
class OptionTable;

struct CodelConfig {
  Duration target = Duration::ms(5);        // > 0
  Duration interval = Duration::ms(100);    // > 0, in the order of a round trip
  ByteCount mtu = ByteCount::bytes(1'514);  // a queue that holds no more than this is never dropped from
  bool ecn = false;                         // mark instead of dropping, where the sender understands it

  bool operator==(const CodelConfig&) const = default;
  static const OptionTable<CodelConfig>& options();
};
// Throws ConfigError when a value is out of its range.
void check(const CodelConfig& config);

class CodelControl {
 public:
  // The next packet of `queue`, null when there is none; what has to be dropped on the way goes to
  // drop(PacketPtr), and `marked` counts who is marked.
  template <class Drop>
  PacketPtr next(const CodelConfig& config, PacketFifo& queue, SimTime now, std::uint64_t& marked, Drop drop);

 private:
  struct Head {
    PacketPtr packet;
    bool standing;  // above the target for an interval
  };

  Head take(const CodelConfig& config, PacketFifo& queue, SimTime now);
  static bool mark(const CodelConfig& config, Packet& packet, std::uint64_t& marked);
  static SimTime law(const CodelConfig& config, SimTime from, std::uint32_t count);

  SimTime first_above_ =
      SimTime::zero();  // when the sojourn time will have been above the target; zero: it is not
  SimTime drop_next_ = SimTime::zero();
  std::uint32_t count_ = 0;       // drops in this dropping state
  std::uint32_t last_count_ = 0;  // of when the last one was entered
  bool dropping_ = false;
};

class Codel final : public QueueDiscipline {
 public:
  // `limit` in packets, >= 1: who finds it reached is dropped. Throws ConfigError when a value is out of its range.
  Codel(const CodelConfig& config, std::int64_t limit);

  void look(const std::function<void(const Packet&)>& see) const override { waiting_.look(see); }
  std::int64_t packets() const override { return waiting_.packets(); }
  ByteCount bytes() const override { return waiting_.bytes(); }

 protected:
  void admit(PacketPtr packet, SimTime now, ByteCount sending) override;
  PacketPtr release(SimTime now) override;
  void hold(PacketPtr packet) override { waiting_.push(std::move(packet)); }
  std::vector<PacketPtr> drain() override { return waiting_.drain(); }

 private:
  CodelConfig config_;
  std::int64_t limit_;
  PacketFifo waiting_;
  CodelControl control_;
};

// Its bound is the link's, in packets. Throws ConfigError where the link has one in bytes.
std::unique_ptr<QueueDiscipline> make_queue(const CodelConfig& config, const QueuePlace& place,
                                            RandomStream random);

template <class Drop>
PacketPtr CodelControl::next(const CodelConfig& config, PacketFifo& queue, SimTime now, std::uint64_t& marked,
                             Drop drop) {
  Head head = take(config, queue, now);
  if (!dropping_) {
    if (!head.standing) return std::move(head.packet);
    dropping_ = true;
    if (!mark(config, *head.packet, marked)) {
      drop(std::move(head.packet));
      head = take(config, queue, now);
    }
    // A state that was left a short while ago goes on at the rate of drops that it had.
    const std::uint32_t drops = count_ - last_count_;
    const bool recent = now - drop_next_ < config.interval * 16;
    count_ = drops > 1 && recent ? drops : 1;
    last_count_ = count_;
    drop_next_ = law(config, now, count_);
    return std::move(head.packet);
  }
  if (!head.standing) dropping_ = false;
  while (dropping_ && now >= drop_next_) {
    ++count_;
    if (mark(config, *head.packet, marked)) {
      drop_next_ = law(config, drop_next_, count_);
      break;
    }
    drop(std::move(head.packet));
    head = take(config, queue, now);
    if (!head.standing) {
      dropping_ = false;
    } else {
      drop_next_ = law(config, drop_next_, count_);
    }
  }
  return std::move(head.packet);
}

}  // namespace simcore
