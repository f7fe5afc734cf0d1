// SPDX-License-Identifier: MIT
//
// Capture: writes down what passes between a port and its link, in both directions, into one pcap file.
//
//   port.attach(capture.tap(link_out));       what the port sends, when it sends it: before the link's queue
//   Link link_in(..., capture.tap(port));     what arrives, when it arrives
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "simcore/trace/pcap_writer.h"
#include "simcore/wire/packet.h"

namespace simcore {

class Capture {
 public:
  // As PcapWriter's constructor.
  explicit Capture(const std::string& path, std::int64_t epoch_ns = 0) : writer_(path, epoch_ns) {}

  // A sink that writes each packet down and gives it to `next`, which must outlive the capture.
  PacketSink& tap(PacketSink& next);

  PcapWriter& writer() { return writer_; }

 private:
  class Tap final : public PacketSink {
   public:
    Tap(PcapWriter& writer, PacketSink& next) : writer_(writer), next_(next) {}
    void accept(PacketPtr packet) override;

   private:
    PcapWriter& writer_;
    PacketSink& next_;
  };

  PcapWriter writer_;
  std::vector<std::unique_ptr<Tap>> taps_;
};

}  // namespace simcore
