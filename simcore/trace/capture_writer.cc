// SPDX-License-Identifier: MIT
#include "simcore/trace/capture_writer.h"

#include <cerrno>

#include "simcore/packet/train.h"
#include "simcore/trace/pcap_writer.h"
#include "simcore/trace/pcapng_writer.h"

namespace simcore {

namespace {

constexpr ByteCount kCopies = ByteCount::bytes(std::int64_t{8} << 20);  // room for one train and its segment

}  // namespace

CaptureWriter::CaptureWriter(const std::string& path, std::int64_t epoch_ns)
    : file_(path, "capture file"), epoch_ns_(epoch_ns), copies_(kCopies) {}

void CaptureWriter::write(const Packet& packet, FrameDirection direction) {
  if (!file_.open()) return;
  if (packet.segments == 1 && !packet.checksum_partial) {
    write_segment(packet, direction);
  } else {
    write_train(packet, direction);
  }
}

void CaptureWriter::write_train(const Packet& train, FrameDirection direction) {
  PacketPtr rest = copies_.copy_of(train);
  if (!rest) return file_.fail(ENOMEM);
  while (rest->segments > 1) {
    const PacketPtr segment = split_front(*rest, 1, copies_);
    if (!segment) return file_.fail(ENOMEM);
    finish_checksum(*segment);
    write_segment(*segment, direction);
  }
  finish_checksum(*rest);
  write_segment(*rest, direction);
}

void CaptureWriter::write_segment(const Packet& frame, FrameDirection direction) {
  CaptureRecord record;
  record.time_ns = epoch_ns_ + frame.first_arrival.count_ns();
  record.bytes = frame.bytes();
  record.original_length = static_cast<std::uint32_t>(frame.wire_size().count());
  record.direction = direction;
  write_record(file_, record);
  ++records_;
}

std::unique_ptr<CaptureWriter> make_capture_writer(const std::string& path, const std::string& interface) {
  if (path.ends_with(".pcapng")) return std::make_unique<PcapngWriter>(path, interface);
  return std::make_unique<PcapWriter>(path);
}

}  // namespace simcore
