// SPDX-License-Identifier: MIT
//
// TcpdumpText: what passes between a port and its link as lines of text, one for each TCP segment, in the manner
// of the program tcpdump as figure 4-2 of Idserda 2004 shows it:
//
//   4 10.0.0.1.5001 > 10.0.0.2.49152 . 10696:12156(1460) ack 1 win 65535
//
// The number of the line, who sends to whom, the flags (S, F, P, R, or a point), first and last sequence number and
// how many bytes lie between where there are any, what is acknowledged, the window as the header has it, and the
// options of a SYN. Sequence numbers are those on the wire; acknowledgements too. Segments of a train have one line
// together. What is not TCP over IPv4 is left out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "simcore/packet/packet.h"

namespace simcore {

class TcpdumpText {
 public:
  // A sink that writes each packet down and gives it to `next`, which must outlive this.
  PacketSink& tap(PacketSink& next);

  const std::string& text() const { return text_; }

 private:
  class Tap final : public PacketSink {
   public:
    Tap(TcpdumpText& owner, PacketSink& next) : owner_(owner), next_(next) {}
    void accept(PacketPtr packet) override;

   private:
    TcpdumpText& owner_;
    PacketSink& next_;
  };

  void write(const Packet& packet);

  std::string text_;
  std::uint64_t lines_ = 0;
  std::vector<std::unique_ptr<Tap>> taps_;
};

}  // namespace simcore
