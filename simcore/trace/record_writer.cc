// SPDX-License-Identifier: MIT
#include "simcore/trace/record_writer.h"

#include "simcore/trace/frame_note.h"
#include "simcore/trace/pcapng_blocks.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

const std::string& checked(const std::string& path) {
  if (path.ends_with(".pcapng")) return path;
  throw ConfigError("record into " + path + ": a record is a pcapng file; write a name that ends in .pcapng");
}

}  // namespace

RecordWriter::RecordWriter(const std::string& path, Writing writing, std::size_t queue_bytes)
    : file_(checked(path), "record", writing == Writing::queued ? queue_bytes : 0) {}

std::uint32_t RecordWriter::add_interface(const std::string& name) {
  interfaces_.push_back({.name = name});
  return static_cast<std::uint32_t>(interfaces_.size() - 1);
}

void RecordWriter::begin(std::string_view plan, std::int64_t epoch_ns) {
  OutputFile& file = file_.file();
  pcapng::write_section_header(file,
                               "a hybridnet record, with the instance plan in it: hybridnet replay FILE");
  pcapng::write_own(file, {record_block::kPlan, epoch_ns, plan});
  for (const InterfaceCounts& each : interfaces_) pcapng::write_interface(file, {.name = each.name});
  file_.start();
}

void RecordWriter::clock_runs(std::int64_t epoch_ns) {
  const pcapng::OwnBlock block{record_block::kClock, epoch_ns, ""};
  if (!has_room(pcapng::size_of_own(block))) return;
  pcapng::write_own(file_, block);
  file_.commit();
}

void RecordWriter::write(std::uint32_t interface, FrameDirection direction, const Packet& packet, SimTime at,
                         std::int64_t wall_ns) {
  const auto note = FrameNote::of(packet, at).bytes();
  CaptureRecord record;
  record.time_ns = wall_ns;
  record.bytes = packet.bytes();
  record.original_length = static_cast<std::uint32_t>(packet.size()) + packet.virtual_payload;
  record.interface = interface;
  record.direction = direction;
  record.note = note;
  ++interfaces_[interface].seen;
  if (!has_room(pcapng::size_of_packet(record))) {
    ++interfaces_[interface].left_out;
    return;
  }
  pcapng::write_packet(file_, record);
  file_.commit();
  ++counters_.recorded_frames;
}

void RecordWriter::write_change(std::string_view text, SimTime at) {
  const pcapng::OwnBlock block{record_block::kChange, at.count_ns(), text};
  if (!has_room(pcapng::size_of_own(block))) return;
  pcapng::write_own(file_, block);
  file_.commit();
  ++counters_.recorded_changes;
}

void RecordWriter::close(SimTime at, std::int64_t wall_ns) {
  file_.finish();
  OutputFile& file = file_.file();
  for (std::uint32_t number = 0; number < interfaces_.size(); ++number) {
    pcapng::write_statistics(file, number, wall_ns, interfaces_[number].seen, interfaces_[number].left_out);
  }
  pcapng::write_own(file, {record_block::kEnd, at.count_ns(), ""});
  try {
    file.close();
  } catch (const SystemError& error) {
    failure_ = error.what();
    if (counters_.write_failed == 0) counters_.write_failed = 1;  // what was in the file's buffer
  }
}

// Counts why not.
bool RecordWriter::has_room(std::size_t size) {
  using Room = QueuedFile::Room;
  switch (file_.room(size)) {
    case Room::yes:
      return true;
    case Room::none:
      ++counters_.queue_full;
      return false;
    case Room::failed:
      ++counters_.write_failed;
      return false;
  }
  return false;
}

}  // namespace simcore
