// SPDX-License-Identifier: MIT
#include "simcore/portal/peering_compressor.h"

#include <lz4.h>

#include <utility>

namespace simcore::peering {

namespace {

// How much a new measurement of the cost of sending weighs.
constexpr double kNewWeight = 1.0 / 16;

}  // namespace

Compressor::Compressor(Compression mode, std::function<SimTime()> wall_now)
    : mode_(mode), wall_now_(std::move(wall_now)) {}

bool Compressor::compress(std::vector<std::uint8_t>& body, bool wire_is_full) {
  if (mode_ == Compression::off || body.size() < 2) return false;
  const bool probe = bodies_++ % kProbe == 0;
  if (mode_ == Compression::automatic && !pays_ && !wire_is_full && !probe) return false;

  const SimTime start = wall_now_();
  output_.resize(body.size() - 1);  // LZ4 gives up when it cannot save a byte
  const int size = LZ4_compress_default(reinterpret_cast<const char*>(body.data()),
                                        reinterpret_cast<char*>(output_.data()),
                                        static_cast<int>(body.size()), static_cast<int>(output_.size()));
  const auto carried = static_cast<std::size_t>(size);
  const double cost_ns = static_cast<double>((wall_now_() - start).count_ns());
  pays_ =
      size > 0 && (wire_is_full || cost_ns < send_ns_per_byte_ * static_cast<double>(body.size() - carried));
  if (size == 0 || (mode_ == Compression::automatic && !pays_)) return false;
  raw_bytes_ += body.size();
  carried_bytes_ += carried;
  output_.resize(carried);
  std::swap(body, output_);
  return true;
}

void Compressor::sent(std::size_t bytes, Duration took) {
  const double ns_per_byte = static_cast<double>(took.count_ns()) / static_cast<double>(bytes);
  send_ns_per_byte_ += kNewWeight * (ns_per_byte - send_ns_per_byte_);
}

bool decompress(std::span<const std::uint8_t> body, std::span<std::uint8_t> raw) {
  const int size =
      LZ4_decompress_safe(reinterpret_cast<const char*>(body.data()), reinterpret_cast<char*>(raw.data()),
                          static_cast<int>(body.size()), static_cast<int>(raw.size()));
  return size >= 0 && static_cast<std::size_t>(size) == raw.size();
}

}  // namespace simcore::peering
