// SPDX-License-Identifier: MIT
//
// DeviceRefusals: which frames that a device refused with ENOBUFS are offered again.
//
// The kernel says so where the device has no room now, which passes in microseconds, and, from Linux 6.8 on (veth_xmit),
// where the other end of a veth pair does not take the frame: one that is larger than its MTU, which never passes. So a
// frame is offered again, after twice the time each, for kPatience at most. Then frames of its size and larger ones are
// refused for good, until the device takes one: those behind them do not wait for them.
//
// A train counts as the smallest frame, since the kernel asks nobody's MTU about a super-packet (is_skb_forwardable).
#pragma once

#include <cstddef>
#include <limits>

#include "simcore/packet/packet.h"
#include "simcore/units/time.h"

namespace simcore {

class DeviceRefusals {
 public:
  // Far above what a queue of the kernel takes to be emptied, even where others have the processor.
  static constexpr Duration kPatience = Duration::ms(100);
  static constexpr Duration kFirstWait = Duration::us(20);

  // The next frame is one that the device has just refused, and it is to be offered at next_offer().
  bool refusing() const { return refusing_; }
  SimTime next_offer() const { return next_; }

  // The device refused this frame. True: it is to be offered again. False: it is lost.
  bool offer_again(const Packet& packet, SimTime now);

  // The device took this frame.
  void taken(const Packet& packet) {
    refusing_ = false;
    if (size_of(packet) >= refused_from_) refused_from_ = kNothing;
  }

 private:
  static constexpr std::size_t kNothing = std::numeric_limits<std::size_t>::max();

  static std::size_t size_of(const Packet& packet) {
    return packet.segments > 1 ? 0 : packet.size() + packet.virtual_payload;
  }

  bool refusing_ = false;
  SimTime first_ = SimTime::zero();   // when the next frame was refused first,
  SimTime next_ = SimTime::zero();    // when it is offered again,
  Duration wait_ = Duration::zero();  // and how long that is after the last time
  std::size_t refused_from_ = kNothing;
};

}  // namespace simcore
