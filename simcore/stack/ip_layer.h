// SPDX-License-Identifier: MIT
//
// IpLayer: what the IPv4 and the IPv6 of a node have in common: the node that they work for, the handlers of
// protocols above them, and the limit of their errors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "simcore/device/node.h"
#include "simcore/stack/protocol_handler.h"
#include "simcore/tcpip/icmp_rate_limit.h"

namespace simcore {

class IpLayer {
 public:
  IpLayer(const IpLayer&) = delete;
  IpLayer& operator=(const IpLayer&) = delete;

  // From now on `handler`, which must outlive the layer, gets what comes for `protocol`, in the place of the
  // one before.
  void set_handler(std::uint8_t protocol, ProtocolHandler& handler) {
    const auto place = std::ranges::find(handlers_, protocol, &Handler::protocol);
    if (place == handlers_.end()) {
      handlers_.push_back({protocol, &handler});
    } else {
      place->handler = &handler;
    }
  }

  // The node's.
  const std::string& name() const { return node_.name(); }
  DropCounters& dropped() { return node_.dropped(); }
  void drop(DropReason reason, const Packet& packet) { node_.drop(reason, packet); }
  PacketPool& pool() { return pool_; }

 protected:
  // All must outlive it.
  IpLayer(Simulation& simulation, PacketPool& pool, Node& node, bool forwards)
      : simulation_(simulation), pool_(pool), node_(node), forwards_(forwards) {}
  ~IpLayer() = default;

  Simulation& simulation() { return simulation_; }
  const std::vector<std::unique_ptr<Interface>>& interfaces() const { return node_.interfaces(); }
  bool forwards() const { return forwards_; }  // datagrams of others
  // Null when there is none.
  ProtocolHandler* handler_of(std::uint8_t protocol) const {
    const auto place = std::ranges::find(handlers_, protocol, &Handler::protocol);
    return place == handlers_.end() ? nullptr : place->handler;
  }
  bool may_send_error() { return error_limit_.allow(simulation_.now()); }

 private:
  struct Handler {
    std::uint8_t protocol;
    ProtocolHandler* handler;
  };

  Simulation& simulation_;
  PacketPool& pool_;
  Node& node_;
  bool forwards_;
  std::vector<Handler> handlers_;  // three, of most nodes
  IcmpRateLimit error_limit_;
};

}  // namespace simcore
