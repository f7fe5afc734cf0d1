// SPDX-License-Identifier: MIT
//
// SharedTransport: datagrams through memory, between two instances of one computer: one ring for each direction. They read
// the same clock, so its offset is told and need not be measured; and nothing is lost while both run.
#pragma once

#include <string>
#include <vector>

#include "simcore/portal/peering_transport.h"
#include "simcore/sys/shared_ring.h"

namespace simcore::peering {

class SharedTransport final : public Transport {
 public:
  // The rings' files: what comes here, and what goes to the peer, whose own names are the other way around. Throws as
  // SharedRing.
  SharedTransport(const std::string& inbox, const std::string& outbox, ByteCount capacity)
      : in_(inbox, capacity, SharedRing::End::reader), out_(outbox, capacity, SharedRing::End::writer) {}

  int fd() const override { return in_.fd(); }
  std::size_t largest_datagram() const override { return SharedRing::kLargestRecord - 1; }
  std::size_t together(std::size_t) const override { return SharedRing::kLargestRecord; }
  int send(std::span<const Datagram> datagrams) override;
  std::span<const Received> receive() override;
  std::size_t waiting_bytes() const override { return in_.waiting_bytes(); }
  bool shares_clock() const override { return true; }
  Counters counters() const override;

 private:
  SharedRing in_;
  SharedRing out_;
  std::vector<Received> received_;
};

}  // namespace simcore::peering
