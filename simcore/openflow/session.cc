// SPDX-License-Identifier: MIT
#include "simcore/openflow/session.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "simcore/openflow/message_type.h"

namespace simcore::openflow {

namespace {

constexpr std::size_t kHeader = 8;

}  // namespace

Session::Session(Kind kind, std::uint32_t versions, std::function<void()> on_work)
    : kind_(kind), versions_(versions), on_work_(std::move(on_work)) {
  version_ = (versions & 1U << 4) != 0 ? Version::v13 : Version::v10;
  if (kind == Kind::service) miss_send_len = 0;
}

void Session::take_in(std::span<const std::uint8_t> bytes) {
  if (read_ == input_.size()) {
    input_.clear();
  } else if (read_ > kMostInput / 2) {
    input_.erase(input_.begin(), input_.begin() + static_cast<std::ptrdiff_t>(read_));
  } else {
    input_.insert(input_.end(), bytes.begin(), bytes.end());
    return;
  }
  read_ = 0;
  input_.insert(input_.end(), bytes.begin(), bytes.end());
}

std::span<const std::uint8_t> Session::next_message() {
  last_ = 0;
  if (broken_ || congested()) return {};
  const std::span<const std::uint8_t> left = std::span<const std::uint8_t>(input_).subspan(read_);
  if (left.size() < kHeader) return {};
  const std::size_t length = load_be16(left.data() + 2);
  if (length < kHeader) {  // where the next one begins cannot be known
    send_error(error::kBadLength, left.first(kHeader));
    broken_ = true;
    return {};
  }
  if (left.size() < length) return {};
  last_ = length;
  read_ += length;
  return left.first(length);
}

bool Session::has_work() const {
  const std::size_t left = input_.size() - read_;
  if (task) return true;
  return !broken_ && left >= kHeader && left >= load_be16(input_.data() + read_ + 2);
}

void Session::leave() {
  left_ = true;
  on_work_ = [] {};
  output_.clear();
  if (!task_modifies) task = nullptr;
}

void Session::send(std::uint8_t type, std::uint32_t xid, const std::function<void(Writer&)>& write) {
  if (left_) return;
  Writer to(output_);
  const std::size_t begin = to.size();
  to.u8(static_cast<std::uint8_t>(version_));
  to.u8(type);
  to.u16(0);
  to.u32(xid);
  write(to);
  to.set16(begin + 2, to.size() - begin);
  on_work_();
}

void Session::send_error(ErrorCode code, std::span<const std::uint8_t> message) {
  const ErrorCode told = version_ == Version::v13 ? code : in_version_10(code);
  const std::uint32_t xid = message.size() < kHeader ? 0 : load_be32(message.data() + 4);
  send(type::kError, xid, [&](Writer& to) {
    to.u16(told.type);
    to.u16(told.code);
    if (told.type == kExperimenterError) to.u32(kOnf);
    if (told == kNiciraError) {
      const ErrorCode* const nicira = nicira_error10(code);
      to.u32(kNicira);
      to.u16(nicira->type);
      to.u16(nicira->code);
    }
    to.bytes(message.first(std::min(message.size(), kQuoted)));
  });
}

void Session::greet() {
  const std::uint32_t versions = versions_;
  send(type::kHello, next_xid(), [this, versions](Writer& to) {
    if (version_ == Version::v10) return;
    to.u16(1);  // OFPHET_VERSIONBITMAP
    to.u16(8);
    to.u32(versions);
  });
}

void Session::take_hello(std::span<const std::uint8_t> message) {
  const std::uint8_t theirs = message[0];
  std::uint32_t common = 0;
  bool bitmap = false;
  if (theirs >= 4) {
    Reader elements(message.subspan(kHeader), error::kBadLength);
    while (elements.left() >= 4 && !bitmap) {
      const std::uint16_t type = elements.u16();
      const std::uint16_t length = elements.u16();
      if (length < 4 || length - 4U > elements.left()) break;
      Reader element = elements.sub(length - 4U, error::kBadLength);
      elements.skip(std::min<std::size_t>((8U - length % 8U) % 8U, elements.left()));
      if (type != 1 || length < 8) continue;
      common = element.u32() & versions_;
      bitmap = true;
    }
  }
  if (!bitmap) common = versions_ & ((2U << std::min<unsigned>(theirs, 30)) - 1U);
  if (common == 0) return refuse_hello();
  const auto highest = static_cast<unsigned>(std::bit_width(common)) - 1;
  // Without a bitmap the lower of the two versions holds, and nothing below it.
  if (!bitmap && highest != std::min<unsigned>(theirs, static_cast<unsigned>(std::bit_width(versions_)) - 1))
    return refuse_hello();
  version_ = static_cast<Version>(highest);
  greeted_ = true;
}

void Session::refuse_hello() {
  static constexpr char kText[] = "the switch speaks other versions of OpenFlow";
  send(type::kError, 0, [](Writer& to) {
    to.u16(error::kHelloIncompatible.type);
    to.u16(error::kHelloIncompatible.code);
    to.text(kText, sizeof kText - 1);
  });
  broken_ = true;
}

}  // namespace simcore::openflow
