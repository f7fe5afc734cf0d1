// SPDX-License-Identifier: MIT
#include "simcore/portal/portal_options.h"

#include <cstddef>

namespace simcore {

namespace {

constexpr double kMillisecond = 1'000'000;
constexpr double kLeastBuffer = 65'536;
constexpr double kMostBuffer = 1'073'741'824;

using Setup = PortalSetup;
using Options = EmulationPortalOptions;

Option<Setup> backlog() {
  return {"backlog_segments",
          &Setup::backlog_segments,
          {.help = "how much may wait for the device; more is dropped as `portal_backlog`",
           .unit = "segments",
           .least = 1,
           .most = 10'000'000}};
}

// What all backends have by these names.
template <class O>
Option<O> flush() {
  return {"segments_per_flush",
          static_cast<int O::*>(&O::segments_per_flush),
          {.help = "written in one turn of the loop: less is smoother, more is faster",
           .unit = "segments",
           .least = 1,
           .most = 100'000}};
}

template <class O>
std::vector<Option<O>> capture() {
  return {{"capture_thread",
           static_cast<bool O::*>(&O::capture_thread),
           {.help = "frames are captured in a thread of its own, ahead of the run loop"}},
          {"capture_ring_frames",
           static_cast<std::size_t O::*>(&O::capture_ring_frames),
           {.help = "how many may wait between that thread and the loop, each in a place of 64 KB",
            .unit = "frames",
            .least = 1,
            .most = 4'096}}};
}

// The table of a backend: what all have, and its own.
template <class O>
std::vector<Option<Setup>> of_backend(O Options::*backend, const std::vector<Option<O>>& own) {
  return joined<Setup>({{backlog()}, within(within(own, backend), &Setup::options)});
}

const OptionTable<Setup>& packet() {
  using O = PacketPortal::Options;
  static const OptionTable<Setup> table(
      "packet", "packet socket with virtio-net header, in batches", Setup{},
      of_backend(
          &Options::packet,
          joined<O>({{flush<O>()},
                     capture<O>(),
                     {
                         {"gro", &O::gro, {.help = "turn GRO on at the device, and put it back at the end"}},
                         {"gro_flush_timeout",
                          &O::gro_flush_timeout,
                          {.help = "how long GRO may hold a frame; 0: until the end of its batch",
                           .most = 1'000 * kMillisecond}},
                         {"receive_buffer",
                          &O::receive_buffer_bytes,
                          {.help = "of the socket, for bursts",
                           .unit = "bytes",
                           .key = "receive_buffer_bytes",
                           .least = kLeastBuffer,
                           .most = kMostBuffer}},
                     }})));
  return table;
}

const OptionTable<Setup>& pcap() {
  using O = PcapPortal::Options;
  static const OptionTable<Setup> table(
      "pcap", "libpcap", Setup{},
      of_backend(
          &Options::pcap,
          joined<O>({{flush<O>()},
                     capture<O>(),
                     {
                         {"immediate",
                          &O::immediate,
                          {.help = "libpcap's immediate mode: each frame is delivered at once"}},
                         {"timeout",
                          &O::timeout,
                          {.help = "without immediate mode: how long frames are gathered; whole milliseconds",
                           .least = kMillisecond,
                           .most = 10'000 * kMillisecond,
                           .multiple = kMillisecond}},
                         {"kernel_stamps",
                          &O::kernel_stamps,
                          {.help = "a frame arrives when the kernel took it in; false: when it is read"}},
                         {"buffer",
                          &O::buffer_bytes,
                          {.help = "of the capture",
                           .unit = "bytes",
                           .key = "buffer_bytes",
                           .least = kLeastBuffer,
                           .most = kMostBuffer}},
                         {"output",
                          &O::output,
                          {{"inject", PcapPortal::Output::inject}, {"raw_ip", PcapPortal::Output::raw_ip}},
                          {.help = "whole frames through libpcap; or, as INET does, IPv4 packets through a "
                                   "raw socket, for "
                                   "which the kernel finds the neighbour: what is not IPv4 or has a tag is "
                                   "dropped as `not_ipv4`"}},
                     }})));
  return table;
}

const OptionTable<Setup>& tap() {
  using O = TapPortal::Options;
  static const OptionTable<Setup> table(
      "tap", "a TAP device, with virtio-net header and offloads", Setup{},
      of_backend(
          &Options::tap,
          joined<O>({{flush<O>()},
                     capture<O>(),
                     {
                         {"mtu",
                          [](const O& of) { return of.mtu == 0 ? std::nullopt : std::optional(of.mtu); },
                          [](O& of, std::optional<int> mtu) { of.mtu = mtu.value_or(0); },
                          {.help = "of the device; none: as it is", .least = 68, .most = 65'535}},
                         {"queue_frames",
                          &O::queue_frames,
                          {.help = "how many may wait in the device to be read",
                           .unit = "frames",
                           .least = 1,
                           .most = 100'000}},
                     }})));
  return table;
}

const OptionTable<Setup>& xdp() {
  using O = XdpPortal::Options;
  static const OptionTable<Setup> table(
      "xdp", "AF_XDP socket, past the kernel's protocol stack", Setup{},
      of_backend(&Options::xdp, joined<O>({{flush<O>()},
                                           {{"ring_frames",
                                             &O::ring_frames,
                                             {.help = "of each ring; a power of two",
                                              .unit = "frames",
                                              .least = 64,
                                              .most = 32'768,
                                              .power_of_two = true}}}})));
  return table;
}

}  // namespace

const OptionFamily<PortalSetup>& portals() {
  static const OptionFamily<Setup> family(
      "portal", "backend",
      {model<Setup>(packet()), model<Setup>(pcap()), model<Setup>(tap()), model<Setup>(xdp())});
  return family;
}

const OptionTable<PeeringPortal::Config>& peer_options() {
  using C = PeeringPortal::Config;
  static const OptionTable<C> table(
      "peer", "another instance, and the way to it", C{},
      joined<C>({{
                     {"name", &C::name, {.help = "of the peer", .required = true}},
                     {"local",
                      &C::local,
                      {.help = "address and port here; with `shm` a file, in the instance's directory, for "
                               "what comes here",
                       .required = true}},
                     {"remote",
                      &C::remote,
                      {.help = "the same there; `any`: the peer is a guest, known by its key alone",
                       .required = true}},
                 },
                 PeeringOptions::table().within(&C::options)}));
  return table;
}

}  // namespace simcore
