// SPDX-License-Identifier: MIT
#include "simcore/portal/udp_transport.h"

#include <algorithm>
#include <cerrno>

namespace simcore::peering {

UdpTransport::UdpTransport(const Config& config)
    : socket_(config.local, config.remote, config.buffer),
      kernel_stamps_(config.kernel_stamps),
      most_messages_(config.most_messages) {
  if (!config.kernel_cuts) socket_.give_up_segments();
  if (config.priority != 0) socket_.set_priority(config.priority);
}

std::size_t UdpTransport::together(std::size_t datagram_size) const {
  return std::min(UdpSocket::kMostSegments, UdpSocket::kLargestMessage / datagram_size);
}

int UdpTransport::send(std::span<const Datagram> datagrams) {
  const std::span<const Datagram> some = datagrams.first(std::min(datagrams.size(), kMostAtOnce));
  int taken = send_some(some);
  if (socket_.segments() && (taken == -EIO || taken == -EINVAL || taken == -EOPNOTSUPP)) {
    socket_.give_up_segments();  // a device on the way cannot do it
    taken = send_some(some);
  }
  return taken;
}

// One system call.
int UdpTransport::send_some(std::span<const Datagram> datagrams) {
  std::array<UdpSocket::Message, UdpSocket::kMessagesPerCall> messages;
  std::array<std::size_t, UdpSocket::kMessagesPerCall> ends;  // of each, among the datagrams
  std::size_t count = 0;
  std::size_t next = 0;
  while (next < datagrams.size() && count < messages.size()) {
    const std::size_t first = next;
    const std::size_t size = datagrams[first].size();
    const std::size_t most = socket_.segments() ? together(size) : 1;
    bool last = false;  // a shorter one ends the message
    while (next < datagrams.size() && next - first < most && !last && datagrams[next].size() <= size) {
      const Datagram& datagram = datagrams[next];
      last = datagram.size() < size;
      parts_[2 * next] = {const_cast<std::uint8_t*>(datagram.head.data()), datagram.head.size()};
      parts_[2 * next + 1] = {const_cast<std::uint8_t*>(datagram.body.data()), datagram.body.size()};
      ++next;
    }
    messages[count].parts = std::span<const iovec>(parts_).subspan(2 * first, 2 * (next - first));
    messages[count].segment_size = next - first > 1 ? static_cast<std::uint16_t>(size) : std::uint16_t{0};
    ends[count++] = next;
  }
  const int taken = socket_.send(std::span<const UdpSocket::Message>(messages).first(count));
  return taken > 0 ? static_cast<int>(ends[static_cast<std::size_t>(taken) - 1]) : taken;
}

std::span<const Transport::Received> UdpTransport::receive() {
  received_.clear();
  for (const UdpSocket::Received& message : socket_.receive(most_messages_)) {
    const Duration waited = kernel_stamps_ ? message.waited : Duration::zero();
    std::size_t at = 0;
    do {  // one without any content is one, too, and somebody counts it
      const std::size_t size = std::min(message.segment_size, message.bytes.size() - at);
      received_.push_back({message.bytes.subspan(at, size), waited, message.from});
      at += size;
    } while (at < message.bytes.size());
  }
  return received_;
}

Transport::Counters UdpTransport::counters() const {
  Counters counters;
  counters.syscalls = socket_.syscalls();
  counters.kernel_drops = socket_.kernel_drops();
  counters.truncated = socket_.truncated();
  counters.unreachable = socket_.unreachable();
  return counters;
}

}  // namespace simcore::peering
