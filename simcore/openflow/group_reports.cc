// SPDX-License-Identifier: MIT
//
// What is told of groups and meters.
#include "simcore/openflow/switch.h"

namespace simcore::openflow {

Entries Switch::group_counters(Reader body) const {
  const std::uint32_t asked = body.u32();
  body.skip(4);
  body.end();
  const auto write = [this](Writer& to, std::uint32_t number, const Group& group) {
    to.u16(static_cast<std::uint16_t>(40 + 16 * group.buckets.size()));
    to.zeros(2);
    to.u32(number);
    to.u32(static_cast<std::uint32_t>(tables_.users_of_group(number)));
    to.zeros(4);
    to.u64(group.packets);
    to.u64(group.bytes);
    write_age(to, host_.now() - group.created);
    for (const Bucket& bucket : group.buckets) {
      to.u64(bucket.packets);
      to.u64(bucket.bytes);
    }
  };
  return each_entry(groups_, asked == kAllGroups, asked, write);
}

Entries Switch::group_descriptions() const {
  return each_entry(groups_, true, 0, [](Writer& to, std::uint32_t number, const Group& group) {
    const std::size_t begin = to.size();
    to.u16(0);
    to.u8(static_cast<std::uint8_t>(group.type));
    to.zeros(1);
    to.u32(number);
    write_buckets(to, group);
    to.set16(begin, to.size() - begin);
  });
}

Entries Switch::group_features() {
  return one_entry([](Writer& to) {
    to.u32(0xf);              // the four types
    to.u32(0x1 | 0x2 | 0x4);  // weights, liveness, chaining
    for (int type = 0; type < 4; ++type) to.u32(kMostGroups);
    for (int type = 0; type < 4; ++type) to.u32(0x0fff9801U);  // the actions of OpenFlow 1.3, each by its bit
  });
}

// Throws ProtocolError where it is none.
std::uint32_t Switch::meter_asked(Reader body) const {
  const std::uint32_t asked = body.u32();
  body.skip(4);
  body.end();
  if (asked != kAllMeters && !meters_.contains(asked)) throw ProtocolError(error::kUnknownMeter);
  return asked;
}

Entries Switch::meter_counters(Reader body) const {
  const std::uint32_t asked = meter_asked(body);
  const auto write = [this](Writer& to, std::uint32_t number, const Meter& meter) {
    to.u32(number);
    to.u16(static_cast<std::uint16_t>(40 + 16 * meter.bands.size()));
    to.zeros(6);
    to.u32(static_cast<std::uint32_t>(tables_.users_of_meter(number)));
    to.u64(meter.packets);
    to.u64(meter.bytes);
    write_age(to, host_.now() - meter.created);
    for (const Band& band : meter.bands) {
      to.u64(band.packets);
      to.u64(band.bytes);
    }
  };
  return each_entry(meters_, asked == kAllMeters, asked, write);
}

Entries Switch::meter_configs(Reader body) const {
  const std::uint32_t asked = meter_asked(body);
  const auto write = [](Writer& to, std::uint32_t number, const Meter& meter) {
    to.u16(static_cast<std::uint16_t>(8 + 16 * meter.bands.size()));
    to.u16(meter.flags);
    to.u32(number);
    write_bands(to, meter);
  };
  return each_entry(meters_, asked == kAllMeters, asked, write);
}

Entries Switch::meter_features() {
  return one_entry([](Writer& to) {
    to.u32(kMostMeters);
    to.u32(1U << 1 | 1U << 2);  // drop and DSCP remark
    to.u32(meter_flag::kKbps | meter_flag::kPackets | meter_flag::kBurst | meter_flag::kStats);
    to.u8(kMostBands);
    to.u8(0);
    to.zeros(2);
  });
}

}  // namespace simcore::openflow
