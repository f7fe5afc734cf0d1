// SPDX-License-Identifier: MIT
//
// MessageTrace: the latest packets that passed some places, in their order, for people to read. It has a bound: the oldest
// give way.
//
//   MessageTrace trace(simulation, 4'096);
//   port.attach(trace.tap("r1-eth1", link_out, FrameDirection::outbound));
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "simcore/kernel/simulation.h"
#include "simcore/packet/packet.h"
#include "simcore/packet/packet_view.h"
#include "simcore/trace/capture_record.h"

namespace simcore {

class MessageTrace {
 public:
  struct Message {
    std::uint64_t number;  // of all that have passed a place that is written down, from 0
    SimTime at;
    const std::string* place;  // as long as the trace
    FrameDirection direction;
    PacketView packet;
  };

  // `most` >= 1. The simulation must outlive it.
  MessageTrace(const Simulation& simulation, std::size_t most) : simulation_(simulation), most_(most) {}
  MessageTrace(const MessageTrace&) = delete;
  MessageTrace& operator=(const MessageTrace&) = delete;

  // A sink that writes each packet down and gives it to `next`; both must outlive what passes.
  PacketSink& tap(const std::string& place, PacketSink& next, FrameDirection direction);

  // From now on only these places are written down; none: all of them. Unknown names are nobody's.
  void follow(const std::vector<std::string>& places);

  // The messages of that number and later that are still there, at most `most`, the latest.
  std::vector<Message> latest(std::uint64_t from, std::size_t most) const;

  std::uint64_t written() const { return written_; }

 private:
  class Tap final : public PacketSink {
   public:
    Tap(MessageTrace& owner, std::string place, PacketSink& next, FrameDirection direction)
        : owner_(owner), place_(std::move(place)), next_(next), direction_(direction) {}

    void accept(PacketPtr packet) override {
      if (followed_) owner_.write(place_, direction_, *packet);
      next_.accept(std::move(packet));
    }

   private:
    friend class MessageTrace;

    MessageTrace& owner_;
    std::string place_;
    PacketSink& next_;
    FrameDirection direction_;
    bool followed_ = true;
  };

  void write(const std::string& place, FrameDirection direction, const Packet& packet);

  const Simulation& simulation_;
  std::size_t most_;
  std::vector<Message> ring_;  // message n at n % most_
  std::uint64_t written_ = 0;
  std::vector<std::unique_ptr<Tap>> taps_;
};

}  // namespace simcore
