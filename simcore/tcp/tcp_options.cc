// SPDX-License-Identifier: MIT
#include "simcore/tcp/tcp_options.h"

#include "simcore/units/error.h"

namespace simcore {

TcpOptions TcpOptions::rfc() { return TcpOptions{}; }

TcpOptions TcpOptions::linux_like() {
  TcpOptions options;
  options.send_buffer = 4 << 20;  // tcp_wmem[2]
  options.receive_buffer =
      3 << 20;  // half of tcp_rmem[2]: tcp_adv_win_scale leaves the other half to overhead
  options.initial_receive_buffer = 65'535;  // half of tcp_rmem[1], likewise
  options.longest_train = 44;
  options.size_trains_by_rate = true;
  options.congestion = CongestionAlgorithm::cubic;
  options.cubic_of_linux = true;
  options.window_of_linux = true;
  options.bytes_counted_per_ack = 0;
  options.frto = true;                          // net.ipv4.tcp_frto
  options.rto.minimum_rto = Duration::ms(200);  // TCP_RTO_MIN
  options.rto.maximum_rto = Duration::seconds(120);
  options.rto.floor_on_variance = true;
  options.backoff_until_sample = false;
  options.delayed_ack_timeout = Duration::ms(40);  // TCP_DELACK_MIN
  options.quick_acks = 16;                         // TCP_MAX_QUICKACKS
  options.nagle = Nagle::minshall;
  options.persist_minimum = Duration::ms(200);
  options.persist_maximum = Duration::seconds(120);
  options.fin_wait_2 = Duration::seconds(60);
  return options;
}

TcpOptions TcpOptions::reno_2004() {
  TcpOptions options;
  options.window_scaling = false;
  options.timestamps = false;
  options.sack = false;
  options.initial_window = 1;
  options.recovery = LossRecovery::reno;
  options.limited_transmit = false;
  options.rack_tlp = false;
  options.prr = false;
  options.undo = false;
  options.bytes_counted_per_ack = 1;
  options.byte_counting = false;
  options.delayed_ack = false;
  return options;
}

TcpOptions TcpOptions::tahoe_2004() {
  TcpOptions options = reno_2004();
  options.recovery = LossRecovery::tahoe;
  return options;
}

TcpOptions TcpOptions::preset(std::string_view name) {
  if (name == "rfc") return rfc();
  if (name == "linux") return linux_like();
  if (name == "reno-2004") return reno_2004();
  if (name == "tahoe-2004") return tahoe_2004();
  throw ConfigError("choose TCP options: preset \"" + std::string(name) +
                    "\" is unknown; the presets are rfc, linux, reno-2004, tahoe-2004");
}

void TcpOptions::check(const std::string& owner) const {
  const auto require = [&owner](bool holds, const char* field, auto value, const char* range) {
    if (holds) return;
    throw ConfigError("set TCP options of " + owner + ": " + field + " is " + std::to_string(value) +
                      "; it must be " + range);
  };
  require(mss >= 64, "mss", mss, "at least 64 bytes");
  require(send_buffer >= mss, "send_buffer", send_buffer, "at least one mss");
  require(receive_buffer >= mss && receive_buffer <= (std::int64_t{1} << 30), "receive_buffer",
          receive_buffer, "from one mss to 2^30 bytes, the largest scaled window");
  require(!initial_receive_buffer || *initial_receive_buffer >= mss, "initial_receive_buffer",
          initial_receive_buffer.value_or(0), "at least one mss");
  require(longest_train >= 1 && longest_train * mss <= 65'415, "longest_train", longest_train,
          "at least 1, and with mss at most 65,415 bytes: an IP datagram less its headers");
  require(out_of_order_ranges >= 1, "out_of_order_ranges", out_of_order_ranges, "at least 1");
  require(segments_in_flight >= 16, "segments_in_flight", segments_in_flight, "at least 16");
  require(initial_window >= 1, "initial_window", initial_window, "at least 1 segment");
  require(duplicate_threshold >= 1, "duplicate_threshold", duplicate_threshold, "at least 1");
  require(rto.minimum_rto > Duration::zero(), "rto.minimum_rto in ns", rto.minimum_rto.count_ns(), "above 0");
  require(rto.maximum_rto >= rto.minimum_rto, "rto.maximum_rto in ns", rto.maximum_rto.count_ns(),
          "at least rto.minimum_rto");
  require(rto.initial_rto > Duration::zero() && rto.initial_rto <= rto.maximum_rto, "rto.initial_rto in ns",
          rto.initial_rto.count_ns(), "above 0 and at most rto.maximum_rto");
  require(delayed_ack_timeout > Duration::zero() && delayed_ack_timeout <= Duration::ms(500),
          "delayed_ack_timeout in ns", delayed_ack_timeout.count_ns(),
          "above 0 and at most 0.5 s (RFC 1122)");
  require(delayed_ack_segments >= 1, "delayed_ack_segments", delayed_ack_segments, "at least 1");
  require(persist_minimum > Duration::zero() && persist_minimum <= persist_maximum, "persist_minimum in ns",
          persist_minimum.count_ns(), "above 0 and at most persist_maximum");
  require(keepalive_interval > Duration::zero(), "keepalive_interval in ns", keepalive_interval.count_ns(),
          "above 0");
  require(time_wait >= Duration::zero(), "time_wait in ns", time_wait.count_ns(), "at least 0");
}

}  // namespace simcore
