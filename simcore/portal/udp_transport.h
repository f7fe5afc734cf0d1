// SPDX-License-Identifier: MIT
//
// UdpTransport: datagrams as UDP datagrams. Those of one size that follow each other go to the kernel as one message,
// which it cuts (UDP_SEGMENT), where it can; and what it has put together again (UDP_GRO) is taken apart here.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "simcore/portal/peering_transport.h"
#include "simcore/sys/udp_socket.h"

namespace simcore::peering {

class UdpTransport final : public Transport {
 public:
  struct Config {
    UdpEndpoint local;
    std::optional<UdpEndpoint> remote;              // none: whoever sends, and send_to() says who is answered
    ByteCount buffer = ByteCount::bytes(32 << 20);  // of the socket, in each direction
    bool kernel_cuts = true;                        // where it can; false only to compare
    bool kernel_stamps = true;                      // false when the instants are not those of the wall clock
    int priority = 0;                               // of the socket, as SO_PRIORITY takes it: 0 to 6
    std::size_t most_messages = UdpSocket::kMessagesPerCall;  // that receive() takes in
  };

  // Throws as UdpSocket.
  explicit UdpTransport(const Config& config);

  int fd() const override { return socket_.fd(); }
  std::size_t largest_datagram() const override { return socket_.largest_datagram(); }
  std::size_t together(std::size_t datagram_size) const override;
  int send(std::span<const Datagram> datagrams) override;
  void send_to(const UdpEndpoint& remote) override { socket_.send_to(remote); }
  std::span<const Received> receive() override;
  std::size_t waiting_bytes() const override { return socket_.waiting_bytes(); }
  Counters counters() const override;

 private:
  static constexpr std::size_t kMostAtOnce = 256;  // datagrams

  int send_some(std::span<const Datagram> datagrams);

  UdpSocket socket_;
  bool kernel_stamps_;
  std::size_t most_messages_;
  std::vector<Received> received_;
  std::array<iovec, 2 * kMostAtOnce> parts_;
};

}  // namespace simcore::peering
