// SPDX-License-Identifier: MIT
//
// FlowQueues: a queue for each flow, each with a Control of its own, that take turns (deficit round robin, RFC 8290 section
// 4.2). Flows are told apart by a hash of addresses, protocol and ports, salted by the random stream. A turn is `quantum`
// bytes; a queue that was empty comes before those that wait, so flows that send little pass at once.
//
// FqCodel and FqPie say who is dropped: when one comes, and when one would leave.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "simcore/kernel/random.h"
#include "simcore/link/flow_hash.h"
#include "simcore/link/packet_fifo.h"
#include "simcore/link/queue_discipline.h"
#include "simcore/link/ring.h"
#include "simcore/units/error.h"

namespace simcore {

template <class Control>
class FlowQueues : public QueueDiscipline {
 public:
  void look(const std::function<void(const Packet&)>& see) const override {
    for (const Ring<std::size_t>* const list : {&fresh_, &others_}) {
      for (std::size_t place = 0; place < list->size(); ++place) flows_[(*list)[place]].queue.look(see);
    }
  }
  std::int64_t packets() const override { return packets_; }
  ByteCount bytes() const override { return bytes_; }

 protected:
  struct Flow {
    PacketFifo queue;
    Control control;
    std::int64_t credit = 0;  // bytes it may still send in this turn
    bool waiting = false;     // in one of the two lists
  };

  // `config` has the bound of all queues together (limit, packets, >= 1), how many there are (flows, 1 to 65,536) and what a
  // turn is (quantum, >= 1). `name` is the queue's in errors. Throws ConfigError when a value is out of its range.
  template <class Config>
  FlowQueues(const Config& config, const std::string& name, std::uint64_t salt)
      : limit_(config.limit), quantum_(config.quantum.count()), salt_(salt) {
    const auto require = [&](bool holds, const std::string& what, std::int64_t value,
                             const std::string& cure) {
      if (!holds)
        throw ConfigError("make " + name + " queue: " + what + " is " + std::to_string(value) + "; " + cure);
    };
    require(config.limit >= 1, "limit (packets)", config.limit, "it must be at least 1");
    require(config.flows >= 1 && config.flows <= 65'536, "the number of flows", config.flows,
            "write 1 to 65536");
    require(config.quantum.count() >= 1, "quantum (bytes)", config.quantum.count(), "it must be at least 1");
    flows_ = std::vector<Flow>(static_cast<std::size_t>(config.flows));
  }

  // The next packet of this queue, null when there is none; take_out() is to be told of each that goes.
  virtual PacketPtr next_of(Flow& flow, SimTime now) = 0;

  std::size_t flow_of(const Packet& packet) const {
    return static_cast<std::size_t>(flow_hash(packet, salt_) % flows_.size());
  }

  void hold(PacketPtr packet) override {
    const std::size_t index = flow_of(*packet);
    hold(index, std::move(packet));
  }
  void hold(std::size_t index, PacketPtr packet) {
    Flow& flow = flows_[index];
    ++packets_;
    bytes_ += packet->wire_size();
    flow.queue.push(std::move(packet));
    if (!flow.waiting) {
      flow.waiting = true;
      flow.credit = quantum_;
      fresh_.push(index);
    }
  }

  std::vector<PacketPtr> drain() override {
    std::vector<PacketPtr> all;
    for (Flow& flow : flows_) {
      while (PacketPtr packet = flow.queue.pop()) all.push_back(std::move(packet));
    }
    std::ranges::stable_sort(all, {}, [](const PacketPtr& packet) { return packet->first_arrival; });
    packets_ = 0;
    bytes_ = ByteCount::zero();
    return all;
  }

  PacketPtr release(SimTime now) override {
    for (;;) {
      const bool from_fresh = !fresh_.empty();
      Ring<std::size_t>& list = from_fresh ? fresh_ : others_;
      if (list.empty()) return nullptr;
      const std::size_t index = list.front();
      Flow& flow = flows_[index];
      if (flow.credit <= 0) {
        flow.credit += quantum_;
        list.pop();
        others_.push(index);
        continue;
      }
      PacketPtr packet = next_of(flow, now);
      if (packet) {
        flow.credit -= packet->wire_size().count();
        return packet;
      }
      list.pop();
      // A fresh flow that has run empty waits behind the others once, or it could always come first.
      if (from_fresh) {
        others_.push(index);
      } else {
        flow.waiting = false;
      }
    }
  }

  void take_out(const Packet& packet) {
    --packets_;
    bytes_ -= packet.wire_size();
  }

  std::int64_t limit() const { return limit_; }
  std::vector<Flow>& flows() { return flows_; }

 private:
  std::int64_t limit_;
  std::int64_t quantum_;
  std::uint64_t salt_;
  std::vector<Flow> flows_;
  Ring<std::size_t> fresh_;   // flows that were empty
  Ring<std::size_t> others_;  // that had a turn
  std::int64_t packets_ = 0;
  ByteCount bytes_ = ByteCount::zero();
};

}  // namespace simcore
