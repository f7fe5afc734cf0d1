// SPDX-License-Identifier: MIT
//
// UdpPorts: who listens at which UDP port of a node, over IPv4 and IPv6. A datagram to a closed port is answered
// by "port unreachable".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "simcore/packet/udp.h"
#include "simcore/stack/protocol_handler.h"

namespace simcore {

class DualStack;

class UdpListener {
 public:
  // Takes a datagram, or a train of them, as ProtocolHandler::receive does; its checksum is
  // correct or partial.
  virtual void receive(PacketPtr packet, const IpHeader& datagram, const UdpHeader& header,
                       Interface& arrival) = 0;

 protected:
  ~UdpListener() = default;
};

class UdpPorts final : public ProtocolHandler {
 public:
  explicit UdpPorts(DualStack& stack) : stack_(stack) {}

  // From now on `listener`, which must outlive its binding, gets what comes to `port`. Throws ConfigError
  // when the port is taken.
  void bind(std::uint16_t port, UdpListener& listener);
  // The same at a free port from 49,152 on, which it returns; none when all are taken.
  std::optional<std::uint16_t> bind_free(UdpListener& listener);
  void unbind(std::uint16_t port) { listeners_.erase(port); }

  void receive(PacketPtr packet, const IpHeader& header, Interface& arrival) override;

 private:
  static constexpr std::uint16_t kFirstFree = 49'152;  // RFC 6335 section 6

  DualStack& stack_;
  std::unordered_map<std::uint16_t, UdpListener*> listeners_;
  std::uint16_t next_free_ = kFirstFree;
};

}  // namespace simcore
