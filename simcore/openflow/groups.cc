// SPDX-License-Identifier: MIT
#include "simcore/openflow/groups.h"

#include <algorithm>
#include <utility>

#include "simcore/openflow/flow_table.h"

namespace simcore::openflow {

std::vector<Bucket> read_buckets(Reader from) {
  if (from.left() > kMostBucketBytes) throw ProtocolError(error::kOutOfBuckets);
  std::vector<Bucket> buckets;
  while (!from.empty()) {
    if (from.left() < 16) throw ProtocolError(error::kBadLength);
    if (buckets.size() == kMostBuckets) throw ProtocolError(error::kOutOfBuckets);
    const std::uint16_t length = from.u16();
    if (length < 16) throw ProtocolError(error::kBadBucket);
    Reader body = from.sub(length - 2U, error::kBadBucket);
    Bucket& bucket = buckets.emplace_back();
    bucket.weight = body.u16();
    bucket.watch_port = body.u32();
    bucket.watch_group = body.u32();
    body.skip(4);
    bucket.actions = read_actions({body.rest(), error::kActionLength}, Version::v13);
  }
  return buckets;
}

void write_buckets(Writer& to, const Group& group) {
  for (const Bucket& bucket : group.buckets) {
    const std::size_t begin = to.size();
    to.u16(0);
    to.u16(bucket.weight);
    to.u32(bucket.watch_port);
    to.u32(bucket.watch_group);
    to.zeros(4);
    write_actions(to, bucket.actions, Version::v13);
    to.set16(begin, to.size() - begin);
  }
}

void check_group(GroupType type, const std::vector<Bucket>& buckets) {
  if (type == GroupType::indirect && buckets.size() != 1) throw ProtocolError(error::kInvalidGroup);
  for (const Bucket& bucket : buckets) {
    const bool watches = bucket.watch_port != port_no::kAny || bucket.watch_group != kAnyGroup;
    if (bucket.weight != 0 && type != GroupType::select) throw ProtocolError(error::kInvalidGroup);
    if (watches && (type == GroupType::all || type == GroupType::indirect))
      throw ProtocolError(error::kWatchUnsupported);
    if (!watches && type == GroupType::fast_failover) throw ProtocolError(error::kInvalidGroup);
  }
}

bool needs_single_frames(const Group& group) {
  return std::ranges::any_of(group.buckets,
                             [](const Bucket& bucket) { return needs_single_frames(bucket.actions); });
}

std::size_t memory_of(const Group& group) {
  std::size_t bytes = sizeof(Group);
  for (const Bucket& bucket : group.buckets) bytes += sizeof(Bucket) + memory_of(bucket.actions);
  return bytes;
}

std::uint64_t flow_hash(const FlowKey& key) {
  const auto both = [](std::uint64_t a, std::uint64_t b) { return mix(a ^ b, a + b); };
  std::uint64_t hash = both(load_be16(key.bytes() + at::kEthSrc) * 0x100000000U + key.u32(at::kEthSrc + 2),
                            load_be16(key.bytes() + at::kEthDst) * 0x100000000U + key.u32(at::kEthDst + 2));
  hash = mix(hash, key.u16(at::kVlan) & 0xfffU);
  hash = mix(hash, std::uint64_t{key.u16(at::kEtherType)} << 8 | key.u8(at::kIpProto));
  hash = mix(hash, both(key.u32(at::kIpv4Src), key.u32(at::kIpv4Dst)));
  hash = mix(hash, both(key.u64(at::kIpv6Src), key.u64(at::kIpv6Dst)));
  hash = mix(hash, both(key.u64(at::kIpv6Src + 8), key.u64(at::kIpv6Dst + 8)));
  const bool ports = holds(Needs::tcp, key) || holds(Needs::udp, key) || holds(Needs::sctp, key);
  return ports ? mix(hash, both(key.u16(at::kPortSrc), key.u16(at::kPortDst))) : hash;
}

}  // namespace simcore::openflow
