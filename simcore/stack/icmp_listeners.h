// SPDX-License-Identifier: MIT
//
// IcmpListeners: whom of a node's senders an ICMP message, of IPv4 or IPv6, concerns: replies to its pings, "too big"
// and other errors about what its transports sent.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "simcore/packet/icmp_failure.h"
#include "simcore/packet/ip_header.h"

namespace simcore {

class EchoListener {
 public:
  // A reply with the identifier that is listened for.
  virtual void echo_replied(const IpAddress& from, std::uint16_t sequence) = 0;

 protected:
  ~EchoListener() = default;
};

class IcmpErrorListener {
 public:
  // `from`, a node on the way or the destination, says that `quoted`, the start of a datagram that claims to be ours,
  // went no further. Anyone may say so: whoever is told checks that it sent this. Precondition: at least 8 bytes
  // of payload are there.
  virtual void icmp_error(IcmpFailure failure, const IpAddress& from, const IpHeader& quoted) = 0;

 protected:
  ~IcmpErrorListener() = default;
};

class PathMtuListener {
 public:
  // A router says that `quoted`, the start of a datagram that claims to be ours, is too big for `mtu` bytes. Anyone may
  // say so: whoever is told checks that it sent this. Precondition: at least 8 bytes of payload are there.
  virtual void fragmentation_needed(const IpHeader& quoted, std::uint32_t mtu) = 0;

 protected:
  ~PathMtuListener() = default;
};

class IcmpListeners {
 public:
  static constexpr std::size_t kQuotedTransport = 8;  // bytes of its payload that a quoted datagram must have

  // From now on `listener` gets the replies with its identifier; false when that is taken.
  bool listen_for_replies(std::uint16_t identifier, EchoListener& listener) {
    return echo_.try_emplace(identifier, &listener).second;
  }
  void stop_listening(std::uint16_t identifier) { echo_.erase(identifier); }
  // Time exceeded and unreachable about UDP datagrams from that port; null: to nobody.
  void listen_for_errors(std::uint16_t udp_port, IcmpErrorListener* listener) {
    errors_[udp_port] = listener;
  }
  // The same about what was sent by `protocol`, which has a listener for all its ports.
  void set_error_listener(std::uint8_t protocol, IcmpErrorListener* listener) {
    errors_of_[protocol] = listener;
  }
  // For what was sent by `protocol`.
  void set_path_mtu_listener(std::uint8_t protocol, PathMtuListener* listener) {
    path_mtu_[protocol] = listener;
  }

  // --- for the handlers of ICMP; false when nobody listens ---

  bool echo_replied(std::uint16_t identifier, const IpAddress& from, std::uint16_t sequence) const {
    const auto place = echo_.find(identifier);
    if (place == echo_.end()) return false;
    place->second->echo_replied(from, sequence);
    return true;
  }
  bool failed(IcmpFailure failure, const IpAddress& from, const IpHeader& quoted) const {
    if (quoted.payload().size() < kQuotedTransport) return false;
    IcmpErrorListener* const listener = listener_to(quoted);
    if (listener == nullptr) return false;
    listener->icmp_error(failure, from, quoted);
    return true;
  }
  bool fragmentation_needed(const IpHeader& quoted, std::uint32_t mtu) const {
    const auto place = path_mtu_.find(quoted.protocol());
    if (place == path_mtu_.end() || place->second == nullptr) return false;
    if (quoted.payload().size() < kQuotedTransport) return false;
    place->second->fragmentation_needed(quoted, mtu);
    return true;
  }

 private:
  IcmpErrorListener* listener_to(const IpHeader& quoted) const {
    if (quoted.protocol() == ip_protocol::kUdp) {
      const auto place = errors_.find(load_be16(quoted.payload().data()));
      return place == errors_.end() ? nullptr : place->second;
    }
    const auto place = errors_of_.find(quoted.protocol());
    return place == errors_of_.end() ? nullptr : place->second;
  }

  std::unordered_map<std::uint16_t, EchoListener*> echo_;         // by identifier
  std::unordered_map<std::uint16_t, IcmpErrorListener*> errors_;  // by UDP port
  std::unordered_map<std::uint8_t, IcmpErrorListener*> errors_of_;
  std::unordered_map<std::uint8_t, PathMtuListener*> path_mtu_;
};

}  // namespace simcore
