// SPDX-License-Identifier: MIT
//
// Carrier: a transport in memory, for tests of what is around a transport. What it sends lies in a queue that the test may
// read, keep, lose, change and write to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "simcore/portal/peering_transport.h"

namespace simcore::peering {

class Carrier final : public Transport {
 public:
  using Bytes = std::vector<std::uint8_t>;

  // Takes what comes from `in`, and puts what it sends into `out`; both must outlive it.
  Carrier(std::deque<Bytes>& in, std::deque<Bytes>& out, std::size_t largest_datagram)
      : in_(in), out_(out), largest_datagram_(largest_datagram) {}

  int fd() const override { return -1; }
  std::size_t largest_datagram() const override { return largest_datagram_; }
  std::size_t together(std::size_t) const override { return 64; }

  int send(std::span<const Datagram> datagrams) override {
    for (const Datagram& datagram : datagrams) {
      Bytes bytes(datagram.head.begin(), datagram.head.end());
      bytes.insert(bytes.end(), datagram.body.begin(), datagram.body.end());
      out_.push_back(std::move(bytes));
    }
    return static_cast<int>(datagrams.size());
  }

  std::span<const Received> receive() override {
    taken_.assign(in_.begin(), in_.end());
    in_.clear();
    received_.clear();
    for (Bytes& bytes : taken_) received_.push_back({bytes, Duration::zero(), comes_from});
    return received_;
  }

  void send_to(const UdpEndpoint& remote) override { goes_to = remote; }

  std::size_t waiting_bytes() const override { return in_.size(); }
  Counters counters() const override { return {}; }

  UdpEndpoint comes_from;  // what is received
  UdpEndpoint goes_to;     // what is sent

 private:
  std::deque<Bytes>& in_;
  std::deque<Bytes>& out_;
  std::size_t largest_datagram_;
  std::vector<Bytes> taken_;
  std::vector<Received> received_;
};

}  // namespace simcore::peering
