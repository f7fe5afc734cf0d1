// SPDX-License-Identifier: MIT
#include "simcore/tcp/segment.h"

namespace simcore {

TcpSegment reset_for(const TcpSegment& segment) {
  TcpSegment reset;
  if (segment.has(TcpFlag::ack)) {
    reset.seq = segment.ack;
    reset.flags = TcpFlag::rst;
  } else {
    reset.ack = segment.seq + segment.sequence_length();
    reset.flags = TcpFlag::rst | TcpFlag::ack;
  }
  return reset;
}

}  // namespace simcore
