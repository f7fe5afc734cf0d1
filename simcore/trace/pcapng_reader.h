// SPDX-License-Identifier: MIT
//
// PcapngReader: a pcapng file (draft-ietf-opsawg-pcapng), of either byte order, with several sections and interfaces.
// Enhanced and simple packet blocks are frames; what hybridnet adds for itself (pcapng_blocks.h) comes out too, between
// the frames where it stands; other blocks are passed over.
#pragma once

#include <variant>

#include "simcore/trace/capture_reader.h"
#include "simcore/trace/pcapng_blocks.h"

namespace simcore {

class PcapngReader final : public CaptureReader {
 public:
  // `file` is behind the type of its first section header. Throws as next().
  explicit PcapngReader(InputFile file);

  std::optional<CaptureRecord> next() override;

  // The next frame or block of hybridnet's own. Throws as next().
  std::optional<std::variant<CaptureRecord, pcapng::OwnBlock>> next_item();

  // The file ended in the middle of something, and that is why next() has thrown.
  bool cut() const { return file_.cut(); }

 private:
  // How the times of an interface are to be read: units of 10^-power or 2^-power seconds, from an offset.
  struct Clock {
    unsigned power = 6;
    bool binary = false;
    std::int64_t offset_s = 0;
    std::uint32_t snapshot_length = 0;  // 0: no limit
  };
  using Bytes = std::span<const std::uint8_t>;

  void read_section_header(std::uint64_t at);
  void read_interface(Bytes body);
  CaptureRecord read_packet(Bytes body);
  CaptureRecord read_simple_packet(Bytes body);
  std::optional<pcapng::OwnBlock> read_custom(Bytes body) const;
  void read_packet_options(Bytes options, CaptureRecord& record) const;
  void read_interface_options(Bytes options, CaptureInterface& interface, Clock& clock) const;

  // Takes the first option off `options`; none at their end.
  struct Option {
    std::uint16_t code;
    Bytes value;
  };
  std::optional<Option> next_option(Bytes& options) const;

  Bytes body_of(std::uint64_t at, std::uint32_t length);
  void check_end(std::uint64_t at, std::uint32_t length);
  std::int64_t time_of(const Clock& clock, std::uint64_t units) const;
  [[noreturn]] void refuse_block(const std::string& what) const { file_.refuse(block_at_, what); }
  std::uint16_t u16(const std::uint8_t* at) const;
  std::uint32_t u32(const std::uint8_t* at) const;
  std::uint64_t u64(const std::uint8_t* at) const;

  bool swapped_ = false;
  std::uint64_t block_at_ = 0;       // where the block that is read begins
  std::size_t first_interface_ = 0;  // of the section, among interfaces_
  std::vector<Clock> clocks_;        // one for each of interfaces_
};

}  // namespace simcore
