// SPDX-License-Identifier: MIT
//
// What tables can do, as OFPMP_TABLE_FEATURES tells it: all can do the same.
#include <string>

#include "simcore/openflow/switch.h"

namespace simcore::openflow {

namespace {

enum : std::uint16_t {
  kInstructions = 0,
  kNext = 2,
  kWrite = 4,
  kApply = 6,
  kMatch = 8,
  kWildcards = 10,
  kWriteSet = 12,
  kApplySet = 14
};

void write_features(Writer& to, std::uint8_t number, std::size_t most_flows) {
  const std::size_t begin = to.size();
  const auto property = [&to](std::uint16_t type, const std::function<void()>& write) {
    const std::size_t start = to.size();
    to.u16(type);
    to.u16(0);
    write();
    to.set16(start + 2, to.size() - start);
    to.pad(start);
  };
  const auto fields = [&to](bool (*wanted)(const Field&), bool masks) {
    for (const Field& each : match_fields()) {
      if (!wanted(each)) continue;
      const bool masked = masks && each.maskable;
      to.u16(each.oxm_class);
      to.u8(static_cast<std::uint8_t>(each.oxm_field << 1 | (masked ? 1 : 0)));
      to.u8(static_cast<std::uint8_t>(each.size * (masked ? 2 : 1)));
    }
  };
  to.u16(0);
  to.u8(number);
  to.zeros(5);
  to.text("table" + std::to_string(number), 32);
  to.u64(~std::uint64_t{0});
  to.u64(~std::uint64_t{0});
  to.u32(3);
  to.u32(static_cast<std::uint32_t>(most_flows));
  property(kInstructions, [&] {
    for (std::uint16_t type = 1; type <= 6; ++type) {
      if (type == 1 && number + 1 == kTables) continue;
      to.u16(type);
      to.u16(4);
    }
  });
  property(kNext, [&] {
    for (unsigned next = number + 1U; next < kTables; ++next) to.u8(static_cast<std::uint8_t>(next));
  });
  for (const std::uint16_t type : {std::uint16_t{kWrite}, std::uint16_t{kApply}}) {
    property(type, [&] {
      for (const int action : {0, 11, 12, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27}) {
        to.u16(static_cast<std::uint16_t>(action));
        to.u16(4);
      }
    });
  }
  property(kMatch, [&] { fields([](const Field&) { return true; }, true); });
  property(kWildcards, [&] { fields([](const Field&) { return true; }, false); });
  for (const std::uint16_t type : {std::uint16_t{kWriteSet}, std::uint16_t{kApplySet}})
    property(type, [&] { fields([](const Field& each) { return each.writable; }, false); });
  to.set16(begin, to.size() - begin);
}

}  // namespace

Entries Switch::table_features(Reader body) const {
  if (!body.empty()) throw ProtocolError(error::kTableFeatures);
  return [this, number = std::uint8_t{0}](Writer& to, Effort&) mutable {
    write_features(to, number, tables_.most_flows());
    return ++number < kTables;
  };
}

}  // namespace simcore::openflow
