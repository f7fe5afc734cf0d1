// SPDX-License-Identifier: MIT
#include "simcore/portal/peering_options.h"

#include <optional>

#include "simcore/portal/peering_wire.h"
#include "simcore/sys/shared_ring.h"
#include "simcore/sys/udp_socket.h"

namespace simcore {

using peering::BatchPolicy;
using peering::Compression;

const OptionTable<PeeringOptions>& PeeringOptions::table() {
  using O = PeeringOptions;
  using Clocks = O::Clocks;
  static const OptionTable<O> options(
      "peering", "the way between two instances", O{},
      {
          {"transport",
           &O::transport,
           {{"udp", Transport::udp}, {"tcp", Transport::tcp}, {"shm", Transport::shm}},
           {.help = "how datagrams travel: as `udp`; in a `tcp` connection; or in `shm`, memory that two "
                    "instances of one "
                    "computer share"}},
          Option<BatchPolicy>{
              "flush",
              &BatchPolicy::flush,
              {{"turn", BatchPolicy::Flush::turn},
               {"packet", BatchPolicy::Flush::packet},
               {"time", BatchPolicy::Flush::time},
               {"size", BatchPolicy::Flush::size}},
              {.help = "when a batch is sent: at the end of each turn of the loop; each packet alone; "
                       "`longest_wait` after its first packet; or at `batch_size`, and no later than that"}}
              .within(&O::batch),
          Option<BatchPolicy>{"longest_wait",
                              &BatchPolicy::longest_wait,
                              {.help = "how long a packet may wait in a batch, with `time` and `size`",
                               .least = 1'000,
                               .most = 1'000'000'000}}
              .within(&O::batch),
          Option<BatchPolicy>{"batch_size",
                              &BatchPolicy::size,
                              {.help = "how large a batch is when it is sent, with `size`",
                               .unit = "bytes",
                               .least = 1,
                               .most = peering::kLargestBody}}
              .within(&O::batch),
          {"compression",
           &O::compression,
           {{"off", Compression::off}, {"on", Compression::on}, {"auto", Compression::automatic}},
           {.help =
                "of batches, by LZ4: never, always, or while it takes less time, as measured, than sending "
                "what it saves"}},
          {"datagram_size",
           [](const O& of) {
             return of.datagram_size == 0
                        ? std::nullopt
                        : std::optional(ByteCount::bytes(static_cast<std::int64_t>(of.datagram_size)));
           },
           [](O& of, std::optional<ByteCount> size) {
             of.datagram_size = size ? static_cast<std::size_t>(size->count()) : 0;
           },
           {.help =
                "the most that a datagram carries; more than the path carries is an error. Without one: what "
                "an MTU of 1,500 bytes carries, or less if the path carries less; with `shm` the largest "
                "size there is",
            .unit = "bytes",
            .least = peering::kSmallestDatagram + peering::kSealBytes,
            .most = UdpSocket::kLargestMessage}},
          {"buffer",
           [](const O& of) {
             return of.buffer == ByteCount::zero() ? std::nullopt : std::optional(of.buffer);
           },
           [](O& of, std::optional<ByteCount> size) { of.buffer = size.value_or(ByteCount::zero()); },
           {.help =
                "of the socket or the ring, in each direction. Without one: 32 MiB for sockets, for bursts "
                "that the other end cannot take at once; 2 MiB for rings, which processors' caches hold",
            .unit = "bytes",
            .least = static_cast<double>(SharedRing::kLeastCapacity),
            .most = 1 << 30}},
          {"receive_wait",
           &O::receive_wait,
           {.help =
                "how long to gather what comes before all of it is taken in together; 0: each datagram is "
                "taken in at once",
            .most = 100'000'000}},
          {"receive_size",
           &O::receive_size,
           {.help =
                "gathering ends earlier when this much has come, as far as a turn of the loop notices; 0: it "
                "does not",
            .most = 1 << 30}},
          {"bulk_dscp",
           &O::bulk_dscps,
           {.help =
                "IP packets with one of these DSCPs are bulk: they have batches of their own and a socket of "
                "their own, on the next port, and never delay the others",
            .least = 0,
            .most = 63}},
          {"bulk_filter",
           &O::bulk_filter,
           {.help = "an expression of pcap-filter(7): packets that it matches are bulk, too"}},
          {"clocks",
           &O::clocks,
           {{"measured", Clocks::measured}, {"told", Clocks::told}},
           {.help =
                "how the peer's clock is known: compared all the time; or told once, as the time of day, so "
                "that every error in it becomes an error of the delays"}},
          {"clock_ahead",
           &O::clock_ahead,
           {.help =
                "an error to experiment with: to the first instance of each pair, the clock of the second "
                "seems this far ahead of what it is",
            .most = 10'000'000'000}},
          {"clock_drift_ppm",
           &O::clock_drift_ppm,
           {.help = "an error to experiment with: that clock also seems to gain this many millionths",
            .least = -1'000,
            .most = 1'000}},
          {"key",
           &O::key,
           {.help = "the run's, 64 hexadecimal digits: datagrams are encrypted and authenticated",
            .pattern = "^([0-9a-f]{64})?$",
            .plan_only = true}},
      });
  return options;
}

}  // namespace simcore
