// SPDX-License-Identifier: MIT
//
// PeeringOptions: what one may choose about the way between two instances. Both ends get the same. The table says what
// each option is for; docs/peering.md what it costs and gives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simcore/options/option_table.h"
#include "simcore/portal/peering_compressor.h"
#include "simcore/portal/peering_sender.h"
#include "simcore/units/data.h"
#include "simcore/units/time.h"

namespace simcore {

struct PeeringOptions {
  enum class Transport : std::uint8_t { udp, tcp, shm };
  enum class Clocks : std::uint8_t {
    measured,
    told,  // once, as what the time of day was at SimTime zero: computers are taken to agree about it
  };

  Transport transport = Transport::udp;
  peering::BatchPolicy batch;
  peering::Compression compression = peering::Compression::off;
  std::size_t datagram_size = 0;         // 0: what suits the way
  ByteCount buffer = ByteCount::zero();  // 0: what suits the transport
  Duration receive_wait = Duration::zero();
  ByteCount receive_size = ByteCount::zero();  // 0: only the time counts
  std::vector<int> bulk_dscps;
  std::string bulk_filter;
  Clocks clocks = Clocks::measured;
  Duration clock_ahead = Duration::zero();  // an error put into the clock that is shown to the peer
  int clock_drift_ppm = 0;                  // and how fast it grows
  std::string key;                          // empty: nothing is sealed

  // There is a lane for bulk.
  bool bulk() const { return !bulk_dscps.empty() || !bulk_filter.empty(); }

  static const OptionTable<PeeringOptions>& table();
};

}  // namespace simcore
