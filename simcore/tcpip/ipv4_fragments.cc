// SPDX-License-Identifier: MIT
#include "simcore/tcpip/ipv4_fragments.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "simcore/packet/checksum.h"
#include "simcore/packet/ethernet.h"
#include "simcore/packet/ipv4.h"
#include "simcore/packet/train.h"

namespace simcore {

namespace {

constexpr std::size_t kUnit = 8;  // fragment offsets count in these

}  // namespace

Ipv4Fragments::Ipv4Fragments(PacketPtr datagram, std::uint16_t mtu, PacketPool& pool)
    : datagram_(std::move(datagram)), pool_(pool) {
  finish_checksum(*datagram_);
  const auto header =
      Ipv4Header::parse(datagram_->bytes().subspan(EthernetHeader::kSize), datagram_->virtual_payload);
  assert(header && !header->dont_fragment() && mtu >= header->size() + kUnit);
  header_ = header->size();
  length_ = header->payload_length();
  stored_ = header->payload().size();
  piece_ = (mtu - header_) / kUnit * kUnit;
  first_ = header->fragment_offset();
  more_ = header->more_fragments();
}

PacketPtr Ipv4Fragments::next() {
  assert(!done());
  const std::size_t headers = EthernetHeader::kSize + header_;
  const std::size_t taken = std::min(piece_, length_ - at_);
  const std::size_t stored = std::min(taken, stored_ - std::min(stored_, at_));
  PacketPtr fragment = pool_.make(headers + stored);
  if (!fragment) return nullptr;
  std::uint8_t* const frame = fragment->bytes().data();
  std::memcpy(frame, datagram_->bytes().data(), headers);
  if (stored > 0) std::memcpy(frame + headers, datagram_->bytes().data() + headers + at_, stored);
  fragment->virtual_payload = static_cast<std::uint32_t>(taken - stored);
  fragment->first_arrival = datagram_->first_arrival;
  fragment->last_arrival = datagram_->last_arrival;

  const std::size_t offset = first_ + at_;
  at_ += taken;
  set_ipv4_fragment(fragment->bytes().subspan(EthernetHeader::kSize),
                    static_cast<std::uint16_t>(header_ + taken), static_cast<std::uint16_t>(offset),
                    more_ || at_ < length_);
  if (offset == 0) keep_copied_options();
  return fragment;
}

// RFC 791 section 3.1: the highest bit of an option's type says that every fragment has it.
void Ipv4Fragments::keep_copied_options() {
  constexpr std::uint8_t kEnd = 0;
  constexpr std::uint8_t kNoOperation = 1;
  const std::span<std::uint8_t> options =
      datagram_->bytes().subspan(EthernetHeader::kSize + Ipv4Header::kSize, header_ - Ipv4Header::kSize);
  for (std::size_t at = 0; at < options.size() && options[at] != kEnd;) {
    if (options[at] == kNoOperation) {
      ++at;
      continue;
    }
    const std::size_t length = at + 1 < options.size() ? options[at + 1] : 0;
    if (length < 2 || at + length > options.size()) return;  // malformed: passed on as it came
    if ((options[at] & 0x80U) == 0) std::ranges::fill(options.subspan(at, length), kNoOperation);
    at += length;
  }
}

}  // namespace simcore
