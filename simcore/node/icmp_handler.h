// SPDX-License-Identifier: MIT
//
// IcmpHandler: answers pings, and hands what concerns a sender of this node to it: replies to its own pings,
// "fragmentation needed", and errors about its UDP datagrams. Other messages are counted as no_listener.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "simcore/node/protocol_handler.h"
#include "simcore/wire/icmp.h"

namespace simcore {

class Ipv4Stack;

class EchoListener {
 public:
  virtual void echo_replied(const IcmpHeader& reply, const Ipv4Header& datagram) = 0;

 protected:
  ~EchoListener() = default;
};

class IcmpErrorListener {
 public:
  // A node on the way, or the destination, says that `quoted`, the start of a UDP datagram that claims to be ours, went
  // no further; `datagram` is the message of the error. Anyone may say so: whoever is told checks that it sent this.
  // Precondition: at least 8 bytes of payload are there.
  virtual void icmp_error(const IcmpHeader& error, const Ipv4Header& datagram, const Ipv4Header& quoted) = 0;

 protected:
  ~IcmpErrorListener() = default;
};

class PathMtuListener {
 public:
  // A router says that `quoted`, the start of a datagram that claims to be ours, is too big for `mtu` bytes. Anyone may
  // say so: whoever is told checks that it sent this. Precondition: at least 8 bytes of payload are there.
  virtual void fragmentation_needed(const Ipv4Header& quoted, std::uint16_t mtu) = 0;

 protected:
  ~PathMtuListener() = default;
};

class IcmpHandler final : public ProtocolHandler {
 public:
  explicit IcmpHandler(Ipv4Stack& stack) : stack_(stack) {}

  // From now on `listener` gets the replies with its identifier; false when that is taken.
  bool listen_for_replies(std::uint16_t identifier, EchoListener& listener) {
    return echo_listeners_.try_emplace(identifier, &listener).second;
  }
  void stop_listening(std::uint16_t identifier) { echo_listeners_.erase(identifier); }
  // Time exceeded and unreachable about UDP datagrams from that port; null: to nobody.
  void listen_for_errors(std::uint16_t udp_port, IcmpErrorListener* listener) {
    error_listeners_[udp_port] = listener;
  }
  // For what was sent by `protocol`.
  void set_path_mtu_listener(std::uint8_t protocol, PathMtuListener* listener) {
    path_mtu_listeners_[protocol] = listener;
  }

  void receive(PacketPtr packet, const Ipv4Header& header, Interface& arrival) override;

 private:
  bool hand_on(const IcmpHeader& icmp, const Ipv4Header& header);
  bool report_path_mtu(const IcmpHeader& icmp, const Ipv4Header& quoted);
  bool report_error(const IcmpHeader& icmp, const Ipv4Header& header);

  Ipv4Stack& stack_;
  std::unordered_map<std::uint16_t, EchoListener*> echo_listeners_;
  std::unordered_map<std::uint16_t, IcmpErrorListener*> error_listeners_;
  std::unordered_map<std::uint8_t, PathMtuListener*> path_mtu_listeners_;
};

}  // namespace simcore
