// SPDX-License-Identifier: MIT
//
// Transport: carries datagrams between two peering portals, and knows nothing of what is in them.
//
//   UdpTransport      a datagram is a UDP datagram; the kernel may lose, repeat and reorder them
//   TcpTransport      a stream, with the length before each; nothing is lost while the connection lasts
//   SharedTransport   two rings in memory, for two instances of one computer
//   SealedTransport   around one of the others: each datagram is encrypted and authenticated
//
// Nothing here waits. What the transport cannot take stays with the sender.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "simcore/link/drop_counters.h"
#include "simcore/sys/udp_socket.h"
#include "simcore/units/time.h"

namespace simcore::peering {

class Transport {
 public:
  struct Datagram {  // two parts that are sent as one
    std::span<const std::uint8_t> head;
    std::span<const std::uint8_t> body;

    std::size_t size() const { return head.size() + body.size(); }
  };

  struct Received {
    std::span<std::uint8_t> bytes;       // valid until the next receive(); the caller may write there
    Duration waited = Duration::zero();  // since it arrived here, as far as the transport knows
    UdpEndpoint from{};                  // who sent it, where the transport hears everybody
  };

  struct Counters {
    std::uint64_t syscalls = 0;
    std::uint64_t kernel_drops = 0;  // for want of receive buffer
    std::uint64_t truncated = 0;     // larger than any datagram of ours
    std::uint64_t unreachable = 0;   // times that nobody listened there
    std::uint64_t rekeyed = 0;       // keys that were replaced
    DropCounters dropped;            // datagrams that came and were not handed on
  };

  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // Readable when receive() would return something. Stays the same.
  virtual int fd() const = 0;

  // What a datagram may have at most on the way to the peer.
  virtual std::size_t largest_datagram() const = 0;
  // How many datagrams of that size one system call takes best.
  virtual std::size_t together(std::size_t datagram_size) const = 0;

  // Hands over, in this order, as many as are taken. How many those were; or, when not even the first was, the negative
  // error number: -EAGAIN when there is no room now.
  virtual int send(std::span<const Datagram> datagrams) = 0;

  // Where what is sent goes from now on, of a transport that hears everybody; before the first call it goes nowhere. Others
  // have their peer, and this does nothing.
  virtual void send_to(const UdpEndpoint&) {}

  // Hands on what is still here of datagrams that were taken. False when some of it is left.
  virtual bool flush() { return true; }

  // Takes in what has come, a bounded number.
  virtual std::span<const Received> receive() = 0;
  // About how much that would be.
  virtual std::size_t waiting_bytes() const = 0;

  // Both ends read the same CLOCK_MONOTONIC.
  virtual bool shares_clock() const { return false; }

  virtual Counters counters() const = 0;

 protected:
  Transport() = default;
};

}  // namespace simcore::peering
