// SPDX-License-Identifier: MIT
//
// TcpTransport: datagrams in a TCP connection, each behind its length: four bytes, little-endian. What was under way when
// a connection ended is lost, and the receiver counts it, as with UDP.
#pragma once

#include <vector>

#include "simcore/portal/peering_transport.h"
#include "simcore/sys/tcp_link.h"

namespace simcore::peering {

class TcpTransport final : public Transport {
 public:
  // Throws as TcpLink.
  TcpTransport(const UdpEndpoint& local, const UdpEndpoint& remote, ByteCount buffer, int priority);

  int fd() const override { return link_.fd(); }
  std::size_t largest_datagram() const override { return kLargest; }
  std::size_t together(std::size_t) const override { return kMostAtOnce; }
  // Without a connection, datagrams are refused (-ENOTCONN).
  int send(std::span<const Datagram> datagrams) override;
  bool flush() override;
  std::span<const Received> receive() override;
  std::size_t waiting_bytes() const override { return link_.waiting_bytes(); }
  Counters counters() const override;

 private:
  using Length = std::uint32_t;

  static constexpr std::size_t kLargest = 65'507;
  static constexpr std::size_t kMostAtOnce = 64;
  static constexpr std::size_t kReceiveBytes = 512 * 1'024;

  void keep_rest(std::span<const iovec> parts, std::size_t sent);
  void drop_connection();

  TcpLink link_;
  std::uint64_t connection_ = 0;    // that the two below are of
  std::vector<std::uint8_t> rest_;  // of the last datagram that was taken
  std::size_t received_bytes_ = 0;  // in the buffer: an incomplete datagram
  std::vector<std::uint8_t> buffer_;
  std::size_t consumed_ = 0;  // of the buffer, by the datagrams that were handed on last
  std::vector<Received> received_;
  std::vector<Length> lengths_;
  std::vector<iovec> parts_;
  DropCounters dropped_;
};

}  // namespace simcore::peering
