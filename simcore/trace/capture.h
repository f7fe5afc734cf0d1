// SPDX-License-Identifier: MIT
//
// Capture: writes down what passes between a port and its link, in both directions, into one capture file.
//
//   port.attach(capture.tap(link_out, FrameDirection::outbound));      what the port sends, when it sends it: before
//                                                                      the link's queue
//   Link link_in(..., capture.tap(port, FrameDirection::inbound));     what arrives, when it arrives
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "simcore/packet/packet.h"
#include "simcore/trace/capture_writer.h"

namespace simcore {

class Capture {
 public:
  // Of `interface`, into pcapng where `path` ends in .pcapng, else into pcap; as make_capture_writer().
  Capture(const std::string& path, const std::string& interface, CaptureOptions options = {})
      : writer_(make_capture_writer(path, interface, std::move(options))) {}

  // A sink that writes each packet down and gives it to `next`, which must outlive the capture.
  PacketSink& tap(PacketSink& next, FrameDirection direction);

  CaptureWriter& writer() { return *writer_; }
  const CaptureWriter& writer() const { return *writer_; }

 private:
  class Tap final : public PacketSink {
   public:
    Tap(CaptureWriter& writer, PacketSink& next, FrameDirection direction)
        : writer_(writer), next_(next), direction_(direction) {}
    void accept(PacketPtr packet) override;

   private:
    CaptureWriter& writer_;
    PacketSink& next_;
    FrameDirection direction_;
  };

  std::unique_ptr<CaptureWriter> writer_;
  std::vector<std::unique_ptr<Tap>> taps_;
};

}  // namespace simcore
