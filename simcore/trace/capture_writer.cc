// SPDX-License-Identifier: MIT
#include "simcore/trace/capture_writer.h"

#include <utility>

#include "simcore/packet/train.h"
#include "simcore/trace/pcap_writer.h"
#include "simcore/trace/pcapng_writer.h"

namespace simcore {

namespace {

constexpr ByteCount kCopies = ByteCount::bytes(std::int64_t{8} << 20);  // room for one train and its segment

}  // namespace

CaptureWriter::CaptureWriter(const std::string& path, std::int64_t epoch_ns, CaptureOptions options)
    : options_(std::move(options)),
      file_(path, "capture file", options_.queue_bytes),
      epoch_ns_(epoch_ns),
      copies_(kCopies) {}

void CaptureWriter::write(const Packet& packet, FrameDirection direction) {
  if (!file_.file().open()) return;
  if (packet.segments == 1 && !packet.checksum_partial) {
    write_segment(packet, direction);
  } else {
    write_train(packet, direction);
  }
}

void CaptureWriter::write_train(const Packet& train, FrameDirection direction) {
  PacketPtr rest = copies_.copy_of(train);
  if (!rest) {
    counters_.queue_full += train.segments;
    return;
  }
  while (rest->segments > 1) {
    const PacketPtr segment = split_front(*rest, 1, copies_);
    if (!segment) {
      counters_.queue_full += rest->segments;
      return;
    }
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
  if (options_.wanted && !options_.wanted(record.bytes)) return;
  const std::size_t size = size_of_record(record);
  if (!has_room(size)) return;
  write_record(file_, record);
  file_.commit();
  bytes_ += size;
  ++counters_.written;
}

// Counts why not.
bool CaptureWriter::has_room(std::size_t size) {
  if (size > options_.most_bytes - bytes_) {
    ++counters_.file_full;
    return false;
  }
  switch (file_.room(size)) {
    case QueuedFile::Room::yes:
      return true;
    case QueuedFile::Room::none:
      ++counters_.queue_full;
      return false;
    case QueuedFile::Room::failed:
      ++counters_.write_failed;
      return false;
  }
  return false;
}

std::unique_ptr<CaptureWriter> make_capture_writer(const std::string& path, const std::string& interface,
                                                   CaptureOptions options) {
  if (path.ends_with(".pcapng"))
    return std::make_unique<PcapngWriter>(path, interface, 0, std::move(options));
  return std::make_unique<PcapWriter>(path, 0, std::move(options));
}

}  // namespace simcore
