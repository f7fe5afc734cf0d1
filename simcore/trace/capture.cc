// SPDX-License-Identifier: MIT
#include "simcore/trace/capture.h"

#include <utility>

namespace simcore {

PacketSink& Capture::tap(PacketSink& next) {
  taps_.push_back(std::make_unique<Tap>(writer_, next));
  return *taps_.back();
}

void Capture::Tap::accept(PacketPtr packet) {
  writer_.write(*packet);
  next_.accept(std::move(packet));
}

}  // namespace simcore
