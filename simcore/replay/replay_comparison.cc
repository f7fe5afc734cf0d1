// SPDX-License-Identifier: MIT
#include "simcore/replay/replay_comparison.h"

#include <algorithm>
#include <functional>
#include <string_view>

namespace simcore {

namespace {

// Of the bytes and of how they are cut into segments. That two different frames have the same number, and come out of one
// portal in place of each other, is as likely as a broken computer.
std::uint64_t key_of(std::span<const std::uint8_t> bytes, const VirtioNetFields& fields) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return std::hash<std::string_view>{}(text)*31 + fields.gso_size;
}

}  // namespace

void ReplayComparison::recorded(std::span<const std::uint8_t> bytes, const VirtioNetFields& fields,
                                SimTime at) {
  ++recorded_;
  take(key_of(bytes, fields), at, true);
}

void ReplayComparison::replayed(const Packet& packet, SimTime at) {
  ++replayed_;
  take(key_of(packet.bytes(), virtio_net_fields(packet)), at, false);
}

void ReplayComparison::take(std::uint64_t key, SimTime at, bool recorded) {
  const auto [found, fresh] = waiting_.try_emplace(key, Waiting{recorded, {}});
  Waiting& waiting = found->second;
  if (fresh || waiting.recorded == recorded) {
    waiting.at.push_back(at);
    return;
  }
  const Duration apart = std::max(at - waiting.at.front(), waiting.at.front() - at);
  waiting.at.pop_front();
  if (waiting.at.empty()) waiting_.erase(found);
  ++matched_;
  if (apart == Duration::zero()) ++same_instant_;
  differences_.add(apart.count_ns());
  greatest_ = std::max(greatest_, apart);
}

}  // namespace simcore
