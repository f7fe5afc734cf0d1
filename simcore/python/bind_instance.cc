// SPDX-License-Identifier: MIT
//
// Instance for Python: text and plain numbers become simcore's types here, and nothing else happens.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include <type_traits>

#include "simcore/instance/instance.h"
#include "simcore/python/bind_network.h"
#include "simcore/python/bindings.h"
#include "simcore/python/link_model.h"
#include "simcore/python/snapshot.h"
#include "simcore/units/error.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace simcore::python {

namespace {

using Text = std::string;

RunLoop::Policy policy(const Text& text) {
  if (text == "best_effort") return RunLoop::Policy::best_effort;
  if (text == "strict") return RunLoop::Policy::strict;
  throw ConfigError("run with the policy " + text + ": there are best_effort and strict");
}

PcapPortal::Output pcap_output(const Text& text) {
  if (text == "inject") return PcapPortal::Output::inject;
  if (text == "raw_ip") return PcapPortal::Output::raw_ip;
  throw ConfigError("write frames by " + text + ": there are inject and raw_ip");
}

// Sets `option` where the plan has a value for it.
template <class T>
void take(const nb::dict& from, const char* key, T& option) {
  if (!from.contains(key)) return;
  if constexpr (std::is_same_v<T, Duration>) {
    option = Duration::ns(nb::cast<std::int64_t>(from[key]));
  } else if constexpr (std::is_same_v<T, PcapPortal::Output>) {
    option = pcap_output(nb::cast<Text>(from[key]));
  } else {
    option = nb::cast<T>(from[key]);
  }
}

// The keys are those of an emulation portal in hybridnet/schema/instance.json.
void add_emulation_portal(Instance& self, const Text& name, const Text& device, const Text& backend,
                          const Text& filter, const nb::dict& options) {
  EmulationPortal::Config config;
  config.name = name;
  config.device = device;
  config.filter = filter;
  take(options, "backlog_segments", config.backlog_segments);
  EmulationPortalOptions of_backend;
  const auto take_common = [&options](auto& backend_options) {
    take(options, "segments_per_flush", backend_options.segments_per_flush);
    if constexpr (requires { backend_options.capture_thread; }) {
      take(options, "capture_thread", backend_options.capture_thread);
      take(options, "capture_ring_frames", backend_options.capture_ring_frames);
    }
  };
  take_common(of_backend.packet);
  take(options, "gro", of_backend.packet.gro);
  take(options, "gro_flush_timeout_ns", of_backend.packet.gro_flush_timeout);
  take(options, "receive_buffer_bytes", of_backend.packet.receive_buffer_bytes);
  take_common(of_backend.pcap);
  take(options, "immediate", of_backend.pcap.immediate);
  take(options, "timeout_ns", of_backend.pcap.timeout);
  take(options, "kernel_stamps", of_backend.pcap.kernel_stamps);
  take(options, "buffer_bytes", of_backend.pcap.buffer_bytes);
  take(options, "output", of_backend.pcap.output);
  take_common(of_backend.tap);
  take(options, "mtu", of_backend.tap.mtu);
  take(options, "queue_frames", of_backend.tap.queue_frames);
  take_common(of_backend.xdp);
  take(options, "ring_frames", of_backend.xdp.ring_frames);
  self.add_emulation_portal(backend, config, of_backend);
}

nb::dict snapshot(Instance& instance, bool of_elements) {
  const Snapshot from = [&instance, of_elements] {
    const nb::gil_scoped_release others_run;
    return instance.snapshot(of_elements ? SnapshotReader::Elements::all : SnapshotReader::Elements::none);
  }();
  return snapshot_dict(from);
}

void construct(Instance* self, Text name, std::uint64_t seed, std::uint64_t token, const Text& policy_name,
               std::int64_t lateness_limit_ns, std::int64_t spin_ns, std::int64_t fixed_poll_ns,
               std::int64_t moderation_ns, std::int64_t early_wake_ns, std::optional<int> cpu,
               std::optional<int> fifo_priority, bool shallow_idle, std::int64_t pool_bytes) {
  RunLoop::Options realtime;
  realtime.policy = policy(policy_name);
  realtime.lateness_limit = Duration::ns(lateness_limit_ns);
  realtime.spin = Duration::ns(spin_ns);
  realtime.moderation = Duration::ns(moderation_ns);
  realtime.early_wake = Duration::ns(early_wake_ns);
  realtime.fixed_poll = Duration::ns(fixed_poll_ns);
  realtime.cpu = cpu;
  realtime.fifo_priority = fifo_priority;
  realtime.shallow_idle = shallow_idle;
  new (self) Instance({.name = std::move(name),
                       .seed = seed,
                       .token = token,
                       .realtime = realtime,
                       .pool_limit = ByteCount::bytes(pool_bytes)});
}

}  // namespace

void bind_instance(nb::module_& m) {
  nb::class_<Instance> instance(m, "Instance",
                                "One running simulation in real time; see simcore/instance/instance.h.");
  instance
      .def("__init__", construct, "name"_a, "seed"_a, "token"_a, nb::kw_only(), "policy"_a = "best_effort",
           "lateness_limit_ns"_a = 1'000'000, "spin_ns"_a = 0, "fixed_poll_ns"_a = 0, "moderation_ns"_a = 0,
           "early_wake_ns"_a = 0, "cpu"_a = nb::none(), "fifo_priority"_a = nb::none(),
           "shallow_idle"_a = false, "pool_bytes"_a = PacketPool::kUsualLimit.count())
      .def("add_emulation_portal", add_emulation_portal, "name"_a, "device"_a, "backend"_a = "packet",
           "filter"_a = "", "options"_a = nb::dict())
      .def(
          "add_peer",
          [](Instance& self, const Text& name, const Text& local, const Text& remote) {
            PeeringPortal::Config config;
            config.name = name;
            config.local = UdpEndpoint::parse(local);
            config.remote = UdpEndpoint::parse(remote);
            self.add_peer(config);
          },
          "name"_a, "local"_a, "remote"_a)
      .def(
          "add_link",
          [](Instance& self, const Text& name, const nb::tuple& a, const nb::tuple& b, const nb::dict& a_to_b,
             const nb::dict& b_to_a) {
            self.add_link(name, link_end(a), link_end(b), link_model(a_to_b), link_model(b_to_a));
          },
          "name"_a, "a"_a, "b"_a, "a_to_b"_a, "b_to_a"_a)
      .def("add_record", &Instance::add_record, "file"_a, "plan"_a)
      .def("run", &Instance::run, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "set_link",
          [](Instance& self, const Text& name, const std::optional<nb::dict>& a_to_b,
             const std::optional<nb::dict>& b_to_a, const Text& note) {
            const std::optional<LinkModel> forward = changed_model(a_to_b);
            const std::optional<LinkModel> backward = changed_model(b_to_a);
            const nb::gil_scoped_release others_run;
            self.change_link(name, forward, backward, note);
          },
          "name"_a, "a_to_b"_a.none(), "b_to_a"_a.none(), "note"_a = "")
      .def("stop", &Instance::stop)
      .def("close", &Instance::close)
      .def("snapshot", snapshot, "of_elements"_a = true);
  bind_network(instance);
}

}  // namespace simcore::python
