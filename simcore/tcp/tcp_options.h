// SPDX-License-Identifier: MIT
//
// TcpOptions: everything about a TCP that can be chosen, each with the document that defines it.
//
// The presets are whole characters: `TcpOptions::rfc()` is what the standards ask for today, `linux_like()` is what a
// Linux of the 6.x series does as far as it is modelled, `reno_2004()` and `tahoe_2004()` are the textbook TCPs of the
// INET validation (Idserda 2004). Change single fields afterwards.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "simcore/tcp/rtt_estimator.h"
#include "simcore/units/data.h"
#include "simcore/units/time.h"

namespace simcore {

enum class CongestionAlgorithm : std::uint8_t {
  none,      // the window is not limited: for tests and for controlled experiments only
  reno,      // RFC 5681; with LossRecovery::tahoe it is Tahoe, with newreno NewReno
  vegas,     // Brakmo and Peterson 1995
  cubic,     // RFC 9438, with HyStart
  bbr,       // version 1: Cardwell et al. 2016, draft-cardwell-iccrg-bbr-congestion-control-00
  bbr3,      // version 3: draft-ietf-ccwg-bbr
  scalable,  // Kelly 2003
  westwood,  // Westwood+: Grieco and Mascolo 2004
  htcp,      // Shorten and Leith 2004
  illinois,  // Liu, Basar and Srikant 2008
  yeah,      // Baiocchi, Castellani and Vacirca 2007
  ledbat,    // RFC 6817
  dctcp,     // RFC 8257
};

// What follows three duplicate acknowledgements. With SACK agreed on, `sack` works on the scoreboard; without, it is
// NewReno.
enum class LossRecovery : std::uint8_t {
  tahoe,    // Jacobson 1988: retransmit, then slow start from one segment
  reno,     // RFC 5681 section 3.2: ends with the first acknowledgement of new data
  newreno,  // RFC 6582
  sack,     // RFC 6675
};

enum class Nagle : std::uint8_t {
  off,
  rfc,       // RFC 1122 section 4.2.3.4: no short segment while anything is unacknowledged
  minshall,  // Linux: no short segment while a short segment is unacknowledged
};

template <class T>
class OptionTable;

struct TcpOptions {
  // Segments and buffers.
  std::uint16_t mss = 1460;            // RFC 9293 section 3.7.1: payload of a segment without options
  std::int64_t send_buffer = 1 << 20;  // bytes the application may write ahead of the acknowledgements
  std::int64_t receive_buffer = 65'535;
  // The window begins with this much of the receive buffer and grows to it as the application keeps up (Fisk and Feng
  // 2001, dynamic right-sizing, as in Linux); absent: all of it from the beginning.
  std::optional<std::int64_t> initial_receive_buffer;
  std::uint16_t longest_train = 1;  // segments sent as one object; 1 means single segments, 44 is 64 KB
  // Linux: a train is what the window gives in about a millisecond, and at most half of the peer's largest window.
  bool size_trains_by_rate = false;
  std::uint32_t out_of_order_ranges = 4096;     // bound of the reassembly queue, in gaps
  std::uint32_t segments_in_flight = 1u << 17;  // bound of the scoreboard

  // Header options offered on the SYN; used when the peer agrees.
  bool window_scaling = true;  // RFC 7323 section 2; the shift follows from receive_buffer
  bool timestamps = true;      // RFC 7323 section 3
  bool sack = true;            // RFC 2018, 2883
  bool ecn = false;            // RFC 3168

  // Congestion control and loss recovery.
  CongestionAlgorithm congestion = CongestionAlgorithm::reno;
  std::uint32_t initial_window = 10;              // segments: RFC 6928
  std::int64_t initial_ssthresh = INT64_MAX / 4;  // bytes
  LossRecovery recovery = LossRecovery::sack;
  std::uint32_t duplicate_threshold = 3;  // RFC 5681 section 3.2
  bool limited_transmit = true;           // RFC 3042
  bool rack_tlp = true;                   // RFC 8985; needs SACK
  bool recovery_of_linux =
      false;  // where Linux's RACK and undoing are not those of RFC 8985 and 3522: see rack.h, sender_ack.cc
  bool prr = true;              // RFC 6937
  bool next_seg_rescue = true;  // RFC 6675 section 4, NextSeg rules 3 and 4; without RACK
  bool frto = false;            // RFC 5682: new data after a timeout tell whether it was needless
  bool undo = true;             // RFC 3522, 4015: a recovery that timestamps prove needless is undone
  std::uint32_t bytes_counted_per_ack = 2;  // RFC 3465: L, segments, in slow start; 0 means all, as Linux
  bool byte_counting =
      true;  // false: congestion avoidance grows by MSS*MSS/cwnd per acknowledgement (RFC 5681 eq. 3)
  // Linux: a reduced window is whole segments, PRR is in proportion to the window and not to what is outstanding, and
  // what ends a recovery counts for growth. A segment is at most half of the peer's largest window
  // (tcp_bound_to_half_wnd), and is cut by its edge only behind full ones (tcp_snd_wnd_test, tcp_mss_split_point); the last
  // with a FIN waits for no congestion window (tcp_cwnd_test). A short segment takes as much of that as a full one.
  bool window_of_linux = false;
  std::optional<DataRate>
      max_pacing_rate;             // Linux's SO_MAX_PACING_RATE: segments are spaced, and leave no faster
  bool restart_after_idle = true;  // RFC 5681 section 4.1
  // Linux: an idle time halves the window for each timeout that it lasted (tcp_cwnd_restart); one lost SYN, or any that only
  // seemed to be lost, leaves the initial window, and timestamps time a SYN that was sent again (tcp_init_transfer), which asks
  // for no ECN (RFC 3168 section 6.1.1.1, __tcp_retransmit_skb).
  bool start_of_linux = false;
  bool hystart = true;          // Ha and Rhee 2011; CUBIC only
  bool cubic_of_linux = false;  // where Linux's CUBIC is not that of RFC 9438: see linux_cubic.h

  // Retransmission timer.
  RttEstimator::Config rto;
  bool backoff_until_sample =
      true;  // RFC 6298 section 5: a doubled timeout lasts until the next round-trip sample;
             // false: until the next acknowledgement of new data
  std::uint32_t data_retries =
      15;  // expiries in a row before the connection is given up: RFC 9293 section 3.8.3, R2
  // Linux: data_retries is a time and not a count (tcp_model_timeout), the back-off of window probes lasts until the window
  // opens, and what else its timers do: see sender.cc, connection.cc.
  bool timers_of_linux = false;
  std::uint32_t syn_retries = 6;
  std::uint32_t synack_retries = 6;  // of a listener; Linux: net.ipv4.tcp_synack_retries
  // Linux (tcp_v4_err, tcp_v6_err): any error by ICMP ends an attempt to connect, and RFC 6069 is obeyed.
  bool icmp_of_linux = false;
  std::uint32_t syn_linear_timeouts =
      0;  // Linux's: so many first timeouts of a SYN do not double, and come in addition

  // Acknowledgements (receiver).
  bool delayed_ack =
      true;  // RFC 1122 section 4.2.3.2: both rules, at most 0.5 s and at least every second segment
  Duration delayed_ack_timeout = Duration::ms(200);
  std::uint32_t delayed_ack_segments = 2;
  std::uint32_t quick_acks = 0;  // Linux: the first n segments of a connection are acknowledged at once
  // Linux: the window follows the buffer with what comes, and meanwhile each segment is acknowledged at once; what is pushed
  // is acknowledged when it is read; and more, see receiver.h.
  bool receiver_of_linux = false;
  // Linux: what is acceptable reaches back to what was acknowledged last, PAWS tolerates a tick and acknowledgements out of
  // order, and empty segments are answered once in 0.5 s (net.ipv4.tcp_invalid_ratelimit) instead of ten times in 5 s.
  bool checks_of_linux = false;
  // Linux (net.ipv4.tcp_comp_sack_nr, tcp_comp_sack_delay_ns): so many acknowledgements that tell of a gap become one, and wait
  // no longer than this, nor than 5 % of a round trip. 0: none is compressed.
  std::uint32_t compressed_acks = 0;
  Duration ack_compression_delay = Duration::ms(1);
  bool ack_per_train =
      false;  // as a receiver behind GRO; false acknowledges per segment, whatever travels together

  // Sender.
  Nagle nagle = Nagle::rfc;
  bool push_of_linux =
      false;  // PSH also when half of the largest window was sent since the last (forced_push), and on each train
  Duration persist_minimum = Duration::seconds(5);  // RFC 9293 section 3.8.6.1; the bounds are BSD's
  Duration persist_maximum = Duration::seconds(60);
  std::optional<Duration> keepalive_idle;  // RFC 9293 section 3.8.4: absent means off
  Duration keepalive_interval = Duration::seconds(75);
  std::uint32_t keepalive_probes = 9;

  // Endings.
  Duration time_wait = Duration::seconds(60);  // RFC 9293 section 3.4.2: 2 MSL
  std::optional<Duration> fin_wait_2;          // Linux gives an orphan 60 s; absent waits for ever

  // DCTCP asks for ECN whatever `ecn` says, and its receiver echoes each mark.
  bool asks_for_ecn() const { return ecn || echoes_each_mark(); }
  bool echoes_each_mark() const { return congestion == CongestionAlgorithm::dctcp; }

  static TcpOptions rfc();
  static TcpOptions linux_like();
  static TcpOptions reno_2004();
  static TcpOptions tahoe_2004();

  // A preset by its name: "rfc", "linux", "reno-2004", "tahoe-2004". Throws ConfigError, which lists them.
  static const TcpOptions& preset(const std::string& name);

  // Their one declaration, with these presets: names, ranges, help.
  static const OptionTable<TcpOptions>& options();

  // Throws ConfigError when a value is out of range, or two contradict each other; `owner` names whose options they are.
  void check(const std::string& owner) const;
};

}  // namespace simcore
