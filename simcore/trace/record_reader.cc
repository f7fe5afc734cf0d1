// SPDX-License-Identifier: MIT
#include "simcore/trace/record_reader.h"

#include <utility>

#include "simcore/packet/ethernet.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr SimTime kLatest = SimTime::zero() + Duration::seconds(std::int64_t{100} * 366 * 24 * 3'600);

ConfigError wrong(const std::string& name, const std::string& what) {
  return ConfigError("read the record " + name + ": " + what);
}

}  // namespace

RecordReader::RecordReader(const std::string& path) : RecordReader(open_capture(path)) {}

RecordReader::RecordReader(std::FILE* file, const std::string& name)
    : RecordReader(open_capture(file, name)) {}

RecordReader::RecordReader(std::unique_ptr<CaptureReader> file) {
  const std::string name = file->name();
  auto* const pcapng = dynamic_cast<PcapngReader*>(file.get());
  if (pcapng == nullptr)
    throw wrong(name, "it is a pcap file; give one that was made with the option record");
  (void)file.release();
  file_.reset(pcapng);
  const auto first = file_->next_item();
  const auto* const plan = first ? std::get_if<pcapng::OwnBlock>(&*first) : nullptr;
  if (plan == nullptr || plan->kind != record_block::kPlan) {
    throw wrong(
        name,
        "there is no instance plan in it; give a file that was made with the option record, as it was made");
  }
  plan_ = plan->text;
  epoch_ns_ = plan->time_ns;
  ahead_ = read();
  const auto* const clock = ahead_ ? std::get_if<pcapng::OwnBlock>(&*ahead_) : nullptr;
  if (clock == nullptr || clock->kind != record_block::kClock) return;
  epoch_ns_ = clock->time_ns;
  ahead_.reset();
}

std::optional<RecordReader::Block> RecordReader::read() {
  try {
    return file_->next_item();
  } catch (const ConfigError&) {
    if (!file_->cut()) throw;
    return std::nullopt;
  }
}

std::optional<RecordReader::Item> RecordReader::next() {
  while (!ended_) {
    const std::optional<Block> block = ahead_ ? std::exchange(ahead_, std::nullopt) : read();
    if (!block) break;
    const auto found = std::visit([this](const auto& each) { return item_of(each); }, *block);
    if (found) return found;
  }
  cut_ = !ended_;
  ended_ = true;
  return std::nullopt;
}

std::optional<RecordReader::Item> RecordReader::item_of(const CaptureRecord& record) {
  const std::optional<FrameNote> note = FrameNote::parse(record.note);
  if (!note || record.direction == FrameDirection::unknown) {
    throw wrong(name(), "a frame without simulated time or direction; give the file as it was made");
  }
  if (note->virtual_payload != record.original_length - record.bytes.size()) {
    throw wrong(name(), "a frame that is not whole; give the file as it was made");
  }
  checked(note->at);
  return Frame{.portal = file_->interfaces()[record.interface].name,
               .direction = record.direction,
               .note = *note,
               .wall_ns = record.time_ns,
               .bytes = record.bytes};
}

std::optional<RecordReader::Item> RecordReader::item_of(const pcapng::OwnBlock& block) {
  const SimTime at = SimTime::at_ns(block.time_ns);
  switch (block.kind) {
    case record_block::kChange:
      return Change{checked(at), block.text};
    case record_block::kEnd:
      ended_ = true;
      return End{checked(at)};
    default:
      return std::nullopt;  // of a later version
  }
}

SimTime RecordReader::checked(SimTime at) {
  if (at < last_ || at > kLatest) {
    throw wrong(name(), "simulated time goes from " + std::to_string(last_.count_ns()) + " ns to " +
                            std::to_string(at.count_ns()) + " ns; give the file as it was made");
  }
  return last_ = at;
}

std::variant<PacketPtr, DropReason> packet_of(const RecordReader::Frame& frame, PacketPool& pool) {
  const std::size_t size = frame.bytes.size();
  if (size < EthernetHeader::kSize || size > PacketPool::kLargestFrame) return DropReason::malformed;
  PacketPtr packet = pool.copy_of(frame.bytes);
  if (!packet) return DropReason::pool_exhausted;
  packet->virtual_payload = frame.note.virtual_payload;
  if (!describe_frame(*packet, frame.note.fields)) return DropReason::malformed;
  packet->first_arrival = frame.note.at;
  packet->last_arrival = frame.note.last_arrival;
  return packet;
}

}  // namespace simcore
