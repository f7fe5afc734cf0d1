// SPDX-License-Identifier: MIT
//
// Why packets are dropped, and how many were. Nothing is lost silently: whoever drops counts the segments
// here, by reason, and every element that can drop has one of these.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace simcore {

enum class DropReason : std::uint8_t {
  queue_full,           // drop-tail queue at its limit
  pool_exhausted,       // no memory left for a packet
  pool_share,           // a line held its share of the memory for packets; the others have theirs
  malformed,            // headers that contradict themselves or the frame's length
  unsupported,          // a protocol that the element does not speak
  not_for_me,           // a frame for another MAC address reached a router or host
  no_route,             // no route to the destination
  ttl_expired,          // TTL or hop limit reached zero
  too_big,              // above the MTU of the way out, with DF set or of IPv6
  arp_failed,           // the next hop did not answer ARP or neighbour discovery
  arp_queue_full,       // too many packets waiting for one address
  no_listener,          // nobody at that port or protocol
  no_port,              // a switch with a single port: nowhere to send
  portal_backlog,       // output of a portal at its limit
  device_refused,       // the kernel did not take the frame
  duplicate,            // a peering datagram or a fragment seen before
  late_datagram,        // a peering datagram given up on before it came
  early_datagram,       // a peering datagram too far ahead of all others to believe it, yet
  foreign,              // a peering datagram with another run's token or from a stranger
  stale_session,        // a peering datagram of an instance that has ended, or of one not believed in yet
  forged,               // a peering datagram that the run's key does not bear out
  replayed,             // a peering datagram that is authentic and came before
  impaired,             // lost by a loss model, as asked
  aqm,                  // dropped early by active queue management
  reassembly_conflict,  // fragments that overlap or contradict each other: all of their datagram
  reassembly_timeout,   // fragments of a datagram that did not become whole in time
  reassembly_full,      // a fragment for which there was no memory left
  processor_full,       // too many packets waiting for the node's processor
  link_down,            // offered to a link, or arriving at its end, while it was set down
  removed,              // on or in something that was taken out of the running network
  no_flow,              // an OpenFlow switch: no flow for it, or one that sends it nowhere
  metered,              // an OpenFlow switch: above the rate of a meter
  too_much_work,        // an OpenFlow switch: its flows and groups make more of one packet than they may
  count_,
};

constexpr std::size_t kDropReasons = static_cast<std::size_t>(DropReason::count_);

// The name under which a reason is reported: its own.
std::string_view name_of(DropReason reason);

class DropCounters {
 public:
  void add(DropReason reason, std::uint64_t segments) {
    counts_[static_cast<std::size_t>(reason)] += segments;
  }
  void add(const DropCounters& more) {
    for (std::size_t reason = 0; reason < kDropReasons; ++reason) counts_[reason] += more.counts_[reason];
  }
  std::uint64_t of(DropReason reason) const { return counts_[static_cast<std::size_t>(reason)]; }
  std::uint64_t total() const;

 private:
  std::array<std::uint64_t, kDropReasons> counts_{};
};

}  // namespace simcore
