// SPDX-License-Identifier: MIT
#include "simcore/trace/pcap_writer.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "simcore/units/error.h"
#include "simcore/wire/train.h"

namespace simcore {

namespace {

// The classic capture file (draft-ietf-opsawg-pcap), in the byte order of this machine, which
// the magic number tells.
struct FileHeader {
  std::uint32_t magic = 0xa1b23c4d;  // nanoseconds
  std::uint16_t major = 2;
  std::uint16_t minor = 4;
  std::uint32_t reserved[2] = {0, 0};
  std::uint32_t snapshot_length = 262'144;
  std::uint32_t link_type = 1;  // Ethernet
};
static_assert(sizeof(FileHeader) == 24);

struct RecordHeader {
  std::uint32_t seconds;
  std::uint32_t nanoseconds;
  std::uint32_t captured_length;
  std::uint32_t length;
};
static_assert(sizeof(RecordHeader) == 16);

constexpr std::size_t kBuffer = 256 * 1'024;
constexpr ByteCount kCopies = ByteCount::bytes(std::int64_t{8} << 20);  // room for one train and its segment

}  // namespace

PcapWriter::PcapWriter(const std::string& path, std::int64_t epoch_ns)
    : path_(path),
      epoch_ns_(epoch_ns),
      buffer_(kBuffer),
      file_(std::fopen(path.c_str(), "wbe")),
      copies_(kCopies) {
  if (!file_) {
    throw EnvironmentError("make the capture file " + path + ": " + std::strerror(errno) +
                           "; its folder must exist and be writable");
  }
  std::setvbuf(file_.get(), buffer_.data(), _IOFBF, buffer_.size());
  const FileHeader header;
  put(&header, sizeof header);
}

PcapWriter::~PcapWriter() = default;

void PcapWriter::write(const Packet& packet) {
  if (!file_) return;
  if (packet.segments == 1 && !packet.checksum_partial) {
    write_segment(packet);
  } else {
    write_train(packet);
  }
}

void PcapWriter::flush() {
  if (file_ && std::fflush(file_.get()) != 0 && error_ == 0) error_ = errno;
  report_failure();
}

void PcapWriter::close() {
  if (file_ && std::fclose(file_.release()) != 0 && error_ == 0) error_ = errno;
  report_failure();
}

void PcapWriter::write_train(const Packet& train) {
  PacketPtr rest = copies_.copy_of(train.bytes());
  if (!rest) {
    if (error_ == 0) error_ = ENOMEM;
    return;
  }
  rest->describe_as(train);
  while (rest->segments > 1) {
    const PacketPtr segment = split_front(*rest, 1, copies_);
    if (!segment) {
      if (error_ == 0) error_ = ENOMEM;
      return;
    }
    finish_checksum(*segment);
    write_segment(*segment);
  }
  finish_checksum(*rest);
  write_segment(*rest);
}

void PcapWriter::write_segment(const Packet& frame) {
  const std::int64_t time = epoch_ns_ + frame.first_arrival.count_ns();
  RecordHeader header;
  header.seconds = static_cast<std::uint32_t>(time / 1'000'000'000);
  header.nanoseconds = static_cast<std::uint32_t>(time % 1'000'000'000);
  header.captured_length = static_cast<std::uint32_t>(frame.size());
  header.length = static_cast<std::uint32_t>(frame.wire_size().count());
  put(&header, sizeof header);
  put(frame.bytes().data(), frame.size());
  ++records_;
}

void PcapWriter::put(const void* bytes, std::size_t size) {
  if (error_ != 0) return;  // a record behind a gap could not be found again
  if (std::fwrite(bytes, 1, size, file_.get()) != size) error_ = errno;
}

void PcapWriter::report_failure() {
  if (error_ == 0) return;
  file_.reset();
  throw SystemError("write the capture file " + path_, std::exchange(error_, 0));
}

}  // namespace simcore
