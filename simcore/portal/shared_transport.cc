// SPDX-License-Identifier: MIT
#include "simcore/portal/shared_transport.h"

#include <cerrno>

namespace simcore::peering {

int SharedTransport::send(std::span<const Datagram> datagrams) {
  int taken = 0;
  for (const Datagram& datagram : datagrams) {
    if (!out_.write(datagram.head, datagram.body)) break;
    ++taken;
  }
  out_.wake();
  return taken > 0 || datagrams.empty() ? taken : -EAGAIN;
}

std::span<const Transport::Received> SharedTransport::receive() {
  received_.clear();
  for (const std::span<std::uint8_t> record : in_.read()) received_.push_back({record});
  return received_;
}

Transport::Counters SharedTransport::counters() const {
  Counters counters;
  counters.syscalls = in_.syscalls() + out_.syscalls();
  counters.dropped.add(DropReason::malformed, in_.damaged());
  return counters;
}

}  // namespace simcore::peering
