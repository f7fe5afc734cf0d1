// SPDX-License-Identifier: MIT
//
// Records, as `hybridnet replay` gets them: read, and what they say entered goes into a router and out of it again, at the
// instants that they say. What is looked for: descriptions that a frame does not bear out, instants that go back or run
// over, packets that are not given back. What is not a record is refused with a ConfigError.
#include <cstdio>
#include <cstdlib>

#include "simcore/link/link.h"
#include "simcore/stack/router.h"
#include "simcore/trace/record_reader.h"
#include "simcore/units/error.h"

namespace {

using namespace simcore;

struct Network {
  explicit Network(PacketPool& packets) : pool(packets) {
    in.attach(back);
    out.attach(forth);
  }

  struct Away final : PacketSink {
    void accept(PacketPtr) override {}
  };
  static Link::Config config() {
    Link::Config config;
    config.rate = DataRate::mbps(100);
    return config;
  }

  PacketPool& pool;
  Simulation simulation{1};
  Router router{simulation, pool, "r"};
  Interface& in = router.add_interface(
      {"in", MacAddress::of(0x02'0000'0000'01), Ipv4InterfaceAddress::parse("10.0.0.1/24"), 1'500});
  Interface& out = router.add_interface(
      {"out", MacAddress::of(0x02'0000'0000'02), Ipv4InterfaceAddress::parse("10.0.1.1/24"), 600});
  Away away;
  Link back{simulation, pool, "back", config(), away};
  Link forth{simulation, pool, "forth", config(), away};
  Link entry{simulation, pool, "entry", config(), in};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static PacketPool pool(ByteCount::bytes(std::int64_t{16} << 20));
  try {
    Network network(pool);
    RecordReader record(::fmemopen(const_cast<std::uint8_t*>(data), size, "rb"), "fuzzed");
    while (const auto item = record.next()) {
      if (const auto* const change = std::get_if<RecordReader::Change>(&*item)) {
        network.simulation.run_until(change->at);
      } else if (const auto* const end = std::get_if<RecordReader::End>(&*item)) {
        network.simulation.run_until(end->at);
      } else {
        const auto& frame = std::get<RecordReader::Frame>(*item);
        network.simulation.run_until(frame.note.at);
        auto made = packet_of(frame, pool);
        if (auto* const packet = std::get_if<PacketPtr>(&made)) network.entry.accept(std::move(*packet));
      }
    }
    network.simulation.run_until(network.simulation.now() + Duration::seconds(10'000));
  } catch (const ConfigError&) {
  }
  if (pool.in_use() != 0) std::abort();
  return 0;
}
