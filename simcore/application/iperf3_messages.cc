// SPDX-License-Identifier: MIT
#include "simcore/application/iperf3_messages.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "simcore/packet/byte_order.h"
#include "simcore/units/data.h"

namespace simcore {

namespace {

constexpr std::size_t kLength = 4;
constexpr std::int64_t kLongestSeconds = 86'400;  // as iperf3's own bound

// Both leave `value` as it is when the message does not say; false when it says something else than that type
// and range.
bool take(const Json& from, const char* name, bool& value) {
  const Json* const member = from.find(name);
  if (member == nullptr) return true;
  if (const auto truth = member->boolean()) value = *truth;
  // Some members are true or false, some 1 or 0.
  else if (const auto whole = member->integer())
    value = *whole != 0;
  else
    return false;
  return true;
}

bool take(const Json& from, const char* name, std::int64_t least, std::int64_t most, std::int64_t& value) {
  const Json* const member = from.find(name);
  if (member == nullptr) return true;
  const auto whole = member->integer();
  if (!whole || *whole < least || *whole > most) return false;
  value = *whole;
  return true;
}

}  // namespace

std::int64_t Iperf3Parameters::allowed_after(Duration elapsed) const {
  if (rate == 0) return std::numeric_limits<std::int64_t>::max();
  const std::int64_t bytes = carried(DataRate::bps(rate), elapsed).count();
  return std::max<std::int64_t>(1, (bytes + block - 1) / block) * block;
}

std::optional<Iperf3Parameters> Iperf3Parameters::of(const Json& message) {
  constexpr std::int64_t kMostBits = 1'000'000'000'000;
  Iperf3Parameters p;
  bool tcp = false;
  bool sctp = false;
  std::int64_t time = 0;
  std::int64_t omit = 0;
  const bool well_formed =
      take(message, "tcp", tcp) && take(message, "udp", p.udp) && take(message, "sctp", sctp) &&
      take(message, "reverse", p.reverse) && take(message, "bidirectional", p.bidirectional) &&
      take(message, "parallel", 1, kMostStreams, p.streams) && take(message, "len", 1, 1 << 20, p.block) &&
      take(message, "bandwidth", 0, kMostBits, p.rate) && take(message, "time", 0, kLongestSeconds, time) &&
      take(message, "omit", 0, kLongestSeconds, omit) && take(message, "udp_counters_64bit", p.wide_counters);
  if (!well_formed || sctp || tcp == p.udp) return std::nullopt;
  if (p.reverse && p.bidirectional) return std::nullopt;
  constexpr std::int64_t kLeastDatagram = 16;
  constexpr std::int64_t kLargestDatagram = 65'507;
  if (p.udp && (p.block < kLeastDatagram || p.block > kLargestDatagram)) return std::nullopt;
  if (p.udp && (p.reverse || p.bidirectional) && p.rate == 0) return std::nullopt;
  p.time = Duration::seconds(time);
  p.omit = Duration::seconds(omit);
  return p;
}

Json Iperf3Parameters::to_json() const {
  const std::int64_t whole_seconds = time.count_ns() / 1'000'000'000;
  Json::Object members{{udp ? "udp" : "tcp", true},
                       {"omit", std::int64_t{0}},
                       {"time", whole_seconds},
                       {"num", std::int64_t{0}},
                       {"blockcount", std::int64_t{0}},
                       {"parallel", streams},
                       {"len", block},
                       {"pacing_timer", std::int64_t{1'000}},
                       {"client_version", std::string("3.12")}};
  if (rate > 0) members.emplace_back("bandwidth", rate);
  if (reverse) members.emplace_back("reverse", true);
  if (wide_counters) members.emplace_back("udp_counters_64bit", std::int64_t{1});
  return Json(std::move(members));
}

std::optional<std::vector<Iperf3StreamResult>> iperf3_streams(const Json& results) {
  const Json* const streams = results.find("streams");
  const Json::Array* const rows = streams != nullptr ? streams->array() : nullptr;
  if (rows == nullptr || rows->size() > std::size_t{Iperf3Parameters::kMostStreams}) return std::nullopt;
  std::vector<Iperf3StreamResult> read;
  for (const Json& row : *rows) {
    constexpr std::int64_t kMost = std::int64_t{1} << 60;
    Iperf3StreamResult result;
    if (!take(row, "id", 0, kMost, result.id) || !take(row, "bytes", 0, kMost, result.bytes) ||
        !take(row, "errors", -kMost, kMost, result.errors) ||
        !take(row, "packets", 0, kMost, result.packets)) {
      return std::nullopt;
    }
    // Who is no TCP sender says -1, and iperf 3.12 writes that as 2^64 - 1, which is no integer here.
    const Json* const retransmits = row.find("retransmits");
    const auto count = retransmits != nullptr ? retransmits->integer() : std::nullopt;
    if (count && *count >= 0) result.retransmits = count;
    if (const Json* const jitter = row.find("jitter"); jitter != nullptr) {
      result.jitter_ns = jitter->number().value_or(0) * 1e9;
    }
    read.push_back(result);
  }
  return read;
}

Json iperf3_results(const std::vector<Iperf3StreamResult>& streams, bool receives_only, bool sends_tcp,
                    Duration lasted) {
  Json::Array rows;
  for (const Iperf3StreamResult& each : streams) {
    rows.push_back(Json(Json::Object{{"id", each.id},
                                     {"bytes", each.bytes},
                                     {"retransmits", each.retransmits.value_or(-1)},
                                     {"jitter", each.jitter_ns * 1e-9},
                                     {"errors", each.errors},
                                     {"omitted_errors", each.omitted_errors},
                                     {"packets", each.packets},
                                     {"omitted_packets", each.omitted_packets},
                                     {"start_time", std::int64_t{0}},
                                     {"end_time", lasted.in_seconds()}}));
  }
  const std::int64_t has_retransmits = receives_only ? -1 : sends_tcp ? 1 : 0;
  // A simulated host uses no processor.
  return Json(Json::Object{{"cpu_util_total", 0.0},
                           {"cpu_util_user", 0.0},
                           {"cpu_util_system", 0.0},
                           {"sender_has_retransmits", has_retransmits},
                           {"streams", std::move(rows)}});
}

Iperf3MessageReader::Outcome Iperf3MessageReader::take(std::uint8_t byte) {
  bytes_.push_back(static_cast<char>(byte));
  if (bytes_.size() < kLength) return Outcome::more;
  const std::size_t length = load_be32(reinterpret_cast<const std::uint8_t*>(bytes_.data()));
  if (length == 0 || length > kIperf3LargestMessage) return Outcome::refused;
  if (bytes_.size() < kLength + length) return Outcome::more;
  auto message = Json::parse(std::string_view(bytes_).substr(kLength));
  bytes_.clear();
  if (!message) return Outcome::refused;
  message_ = std::move(*message);
  return Outcome::message;
}

std::string iperf3_frame(const Json& message) {
  const std::string text = message.to_string();
  std::array<std::uint8_t, kLength> length;
  store_be32(length.data(), static_cast<std::uint32_t>(text.size()));
  return std::string(length.begin(), length.end()) + text;
}

}  // namespace simcore
