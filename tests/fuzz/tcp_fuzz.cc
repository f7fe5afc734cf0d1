// SPDX-License-Identifier: MIT
//
// A TcpConnection and whoever talks to it: segments from a peer that may say anything, calls of an application, time.
// What is looked for: reads outside of buffers, arithmetic that overflows, a machine that never stops sending or whose
// deadline stays in the past, counts that go below zero.
//
// Input: which options, whether it connects or listens; then a run of steps, each a byte and what it needs. Sequence
// and acknowledgement numbers of segments are given relative to what the connection itself last said, so that most are
// near its windows.
#include <array>
#include <cstdlib>
#include <vector>

#include "simcore/tcp/connection.h"
#include "tests/fuzz/input.h"

namespace simcore {
namespace {

constexpr int kMostSegments = 200'000;  // a full send buffer in segments of one byte is less

TcpOptions options_of(std::uint8_t choice) {
  constexpr std::array<const char*, 4> kPresets = {"rfc", "linux", "reno-2004", "tahoe-2004"};
  TcpOptions options = TcpOptions::preset(kPresets[choice & 3]);
  constexpr int kAlgorithms = static_cast<int>(CongestionAlgorithm::dctcp) + 1;
  options.congestion = static_cast<CongestionAlgorithm>((choice >> 2) % kAlgorithms);
  options.ecn = (choice & 0x20) != 0;
  if ((choice & 0x40) != 0) options.longest_train = 16;
  if ((choice & 0x80) != 0) options.keepalive_idle = Duration::seconds(10);
  options.send_buffer = 1 << 16;
  options.check("the fuzzer");
  return options;
}

class Talk {
 public:
  Talk(const TcpOptions& options, std::uint8_t how) : tcp_(options, SeqNum(0xffff'fff0)) {
    if ((how & 1) != 0) {
      tcp_.listen();
    } else {
      tcp_.connect(now_);
    }
    drain();
  }

  void step(fuzz::Input& input) {
    switch (input.u8() % 12) {
      case 0:
      case 1:
      case 2:
      case 3:
        arrive(input);
        break;
      case 4:
        pass(Duration::us(input.u16()));
        break;
      case 5:
        pass(Duration::ms(input.u16()));
        break;
      case 6:
        if (tcp_.deadline() != SimTime::never()) pass(tcp_.deadline() - now_);
        break;
      case 7: {
        const std::vector<std::uint8_t> bytes(input.u16(), 0x5a);
        tcp_.write(bytes);
        break;
      }
      case 8:
        tcp_.write_virtual(input.u16());
        break;
      case 9: {
        std::vector<std::uint8_t> bytes(input.u16());
        tcp_.read(bytes);
        break;
      }
      case 10:
        tcp_.close(now_);
        break;
      case 11:
        end(input.u8());
        break;
    }
    drain();
    check();
  }

 private:
  void end(std::uint8_t how) {
    if (how < 16) tcp_.abort();
    if (how >= 16 && how < 64) tcp_.release(now_);
    if (how >= 64) tcp_.reduce_mss(64 + how);
  }

  void arrive(fuzz::Input& input) {
    TcpSegment segment;
    segment.flags = TcpFlags::from_header(input.u8());
    const std::uint8_t shape = input.u8();
    segment.seq = tcp_next_ + offset(input, (shape & 1) != 0);
    segment.ack = tcp_sent_ + offset(input, (shape & 2) != 0);
    segment.window = input.u16();
    segment.ecn = static_cast<EcnCodepoint>(shape >> 2 & 3);
    segment.length = input.u8() * ((shape & 0x10) != 0 ? 100U : 1U);
    segment.segment_payload = static_cast<std::uint16_t>(segment.length);
    if ((shape & 0x20) != 0 && segment.length > 1) {  // a train
      segment.segment_payload = static_cast<std::uint16_t>(1 + input.u8() % (segment.length - 1));
      segment.segments = static_cast<std::uint16_t>((segment.length + segment.segment_payload - 1) /
                                                    segment.segment_payload);
    }
    const auto area = input.take((shape >> 6) * 12U);
    if (const auto parsed = TcpHeaderOptions::parse(area)) {
      segment.options = *parsed;
      write_again(*parsed);
    }
    const auto data = input.take(segment.length);
    segment.data = data;
    if (tcp_.state() == TcpState::time_wait) tcp_.may_be_reopened_by(segment);
    tcp_.on_segment(now_, segment);
  }

  static std::uint32_t offset(fuzz::Input& input, bool far) {
    if (far) return input.u32();
    return static_cast<std::uint32_t>(static_cast<std::int8_t>(input.u8()));
  }

  static void write_again(const TcpHeaderOptions& options) {
    std::array<std::uint8_t, 80> bytes;
    const std::size_t size = options.write(bytes);
    if (size != options.size()) std::abort();
    const auto again = TcpHeaderOptions::parse(std::span(bytes).first(size));
    if (!again || again->mss != options.mss || again->window_scale != options.window_scale ||
        again->timestamps != options.timestamps || again->sack.count != options.sack.count) {
      std::abort();
    }
  }

  void drain() {
    TcpSegment out;
    for (int count = 0; tcp_.next_segment(now_, out); ++count) {
      if (count == kMostSegments) std::abort();
      tcp_sent_ = out.seq + out.sequence_length();
      if (out.has(TcpFlag::ack)) tcp_next_ = out.ack;
      if (out.length > 0 && tcp_.has_bytes_to_copy()) {
        std::vector<std::uint8_t> bytes(out.length);
        tcp_.copy_payload(out, bytes);
      }
    }
  }

  void pass(Duration time) {
    now_ = now_ + std::max(time, Duration::zero());
    for (int count = 0; tcp_.deadline() <= now_; ++count) {
      if (count == 1'000) std::abort();
      tcp_.expire(now_);
      drain();
    }
  }

  void check() const {
    if (tcp_.readable() < 0 || tcp_.room_to_write() < 0) std::abort();
    if (tcp_.state() == TcpState::closed && tcp_.deadline() != SimTime::never()) std::abort();
  }

  SimTime now_ = SimTime::zero();
  TcpConnection tcp_;
  SeqNum tcp_sent_{0};  // behind the last that it sent
  SeqNum tcp_next_{0};  // what it expects
};

}  // namespace
}  // namespace simcore

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace simcore;
  fuzz::Input input(data, size);
  const TcpOptions options = options_of(input.u8());
  Talk talk(options, input.u8());
  while (!input.empty()) talk.step(input);
  return 0;
}
