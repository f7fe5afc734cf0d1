// SPDX-License-Identifier: MIT
#include "simcore/portal/tcp_transport.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace simcore::peering {

namespace {

iovec part_of(std::span<const std::uint8_t> bytes) {
  return {const_cast<std::uint8_t*>(bytes.data()), bytes.size()};  // nobody writes to it
}

}  // namespace

TcpTransport::TcpTransport(const UdpEndpoint& local, const UdpEndpoint& remote, ByteCount buffer,
                           int priority)
    : link_(local, remote, buffer, priority), buffer_(kReceiveBytes) {
  lengths_.reserve(kMostAtOnce);
}

int TcpTransport::send(std::span<const Datagram> datagrams) {
  if (!link_.connected()) link_.try_again();
  if (link_.connections() != connection_) drop_connection();
  if (!link_.connected()) return -ENOTCONN;
  if (!flush()) return -EAGAIN;
  parts_.clear();
  lengths_.clear();
  const std::span<const Datagram> some = datagrams.first(std::min(datagrams.size(), kMostAtOnce));
  for (const Datagram& datagram : some) {
    lengths_.push_back(static_cast<Length>(datagram.size()));
    parts_.push_back({&lengths_.back(), sizeof(Length)});
    parts_.push_back(part_of(datagram.head));
    parts_.push_back(part_of(datagram.body));
  }
  const std::ptrdiff_t sent = link_.send(parts_);
  if (sent < 0) return -ENOTCONN;
  std::size_t left = static_cast<std::size_t>(sent);
  int taken = 0;
  for (std::size_t i = 0; i < some.size() && left > 0; ++i, ++taken) {
    const std::size_t size = sizeof(Length) + some[i].size();
    if (left < size) keep_rest(std::span<const iovec>(parts_).subspan(3 * i, 3), left);
    left -= std::min(left, size);
  }
  return taken > 0 ? taken : -EAGAIN;
}

void TcpTransport::keep_rest(std::span<const iovec> parts, std::size_t sent) {
  for (const iovec& part : parts) {
    const std::size_t skipped = std::min(sent, part.iov_len);
    const auto* const bytes = static_cast<const std::uint8_t*>(part.iov_base);
    rest_.insert(rest_.end(), bytes + skipped, bytes + part.iov_len);
    sent -= skipped;
  }
}

bool TcpTransport::flush() {
  if (rest_.empty()) return true;
  if (!link_.connected()) return true;  // it goes with its connection
  const iovec part = part_of(rest_);
  const std::ptrdiff_t sent = link_.send(std::span<const iovec>(&part, 1));
  if (sent > 0) rest_.erase(rest_.begin(), rest_.begin() + sent);
  return rest_.empty() || sent < 0;
}

std::span<const Transport::Received> TcpTransport::receive() {
  received_.clear();
  link_.try_again();
  if (link_.connections() != connection_) drop_connection();
  if (!link_.connected()) return {};
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(consumed_),
            buffer_.begin() + static_cast<std::ptrdiff_t>(received_bytes_), buffer_.begin());
  received_bytes_ -= consumed_;
  consumed_ = 0;
  const std::ptrdiff_t got = link_.receive(std::span<std::uint8_t>(buffer_).subspan(received_bytes_));
  if (got <= 0) return {};
  received_bytes_ += static_cast<std::size_t>(got);
  Length length = 0;
  while (received_bytes_ - consumed_ >= sizeof length) {
    std::memcpy(&length, buffer_.data() + consumed_, sizeof length);
    if (length == 0 || length > kLargest) {  // the stream cannot be read on
      dropped_.add(DropReason::malformed, 1);
      link_.disconnect();
      break;
    }
    if (received_bytes_ - consumed_ - sizeof length < length) break;
    received_.push_back({std::span<std::uint8_t>(buffer_).subspan(consumed_ + sizeof length, length)});
    consumed_ += sizeof length + length;
  }
  return received_;
}

// What is left of a connection that has ended belongs to no other.
void TcpTransport::drop_connection() {
  connection_ = link_.connections();
  rest_.clear();
  received_bytes_ = consumed_ = 0;
}

Transport::Counters TcpTransport::counters() const {
  Counters counters;
  counters.syscalls = link_.syscalls();
  counters.unreachable = link_.refused();
  counters.dropped.add(dropped_);
  return counters;
}

}  // namespace simcore::peering
