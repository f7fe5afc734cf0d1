// SPDX-License-Identifier: MIT
#include "simcore/trace/capture.h"

#include <utility>

namespace simcore {

PacketSink& Capture::tap(PacketSink& next, FrameDirection direction) {
  taps_.push_back(std::make_unique<Tap>(*writer_, next, direction));
  return *taps_.back();
}

void Capture::Tap::accept(PacketPtr packet) {
  writer_.write(*packet, direction_);
  next_.accept(std::move(packet));
}

}  // namespace simcore
