// SPDX-License-Identifier: MIT
#include "simcore/tcp/tcp_options.h"

#include "simcore/options/option_table.h"
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
  options.start_of_linux = true;
  options.recovery_of_linux = true;
  options.checks_of_linux = true;
  options.bytes_counted_per_ack = 0;
  options.frto = true;                          // net.ipv4.tcp_frto
  options.rto.minimum_rto = Duration::ms(200);  // TCP_RTO_MIN
  options.rto.maximum_rto = Duration::seconds(120);
  options.rto.variance_of_linux = true;
  options.icmp_of_linux = true;
  options.timers_of_linux = true;
  options.synack_retries = 5;
  options.syn_linear_timeouts = 4;                 // net.ipv4.tcp_syn_linear_timeouts
  options.delayed_ack_timeout = Duration::ms(40);  // TCP_DELACK_MIN
  options.quick_acks = 16;                         // TCP_MAX_QUICKACKS
  options.receiver_of_linux = true;
  options.compressed_acks = 44;  // net.ipv4.tcp_comp_sack_nr
  options.nagle = Nagle::minshall;
  options.push_of_linux = true;
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

const TcpOptions& TcpOptions::preset(const std::string& name) {
  return options().preset(name, "choose TCP options");
}

const OptionTable<TcpOptions>& TcpOptions::options() {
  using O = TcpOptions;
  static const OptionTable<O> table(
      "tcp", "a TCP", O{},
      joined<O>(
          {{
               {"congestion",
                &O::congestion,
                {{"none", CongestionAlgorithm::none},
                 {"reno", CongestionAlgorithm::reno},
                 {"vegas", CongestionAlgorithm::vegas},
                 {"cubic", CongestionAlgorithm::cubic},
                 {"bbr", CongestionAlgorithm::bbr},
                 {"bbr3", CongestionAlgorithm::bbr3},
                 {"scalable", CongestionAlgorithm::scalable},
                 {"westwood", CongestionAlgorithm::westwood},
                 {"htcp", CongestionAlgorithm::htcp},
                 {"illinois", CongestionAlgorithm::illinois},
                 {"yeah", CongestionAlgorithm::yeah},
                 {"ledbat", CongestionAlgorithm::ledbat},
                 {"dctcp", CongestionAlgorithm::dctcp}},
                {.help = "congestion control, each as the section on them says; `none` for experiments"}},
               {"recovery",
                &O::recovery,
                {{"tahoe", LossRecovery::tahoe},
                 {"reno", LossRecovery::reno},
                 {"newreno", LossRecovery::newreno},
                 {"sack", LossRecovery::sack}},
                {.help = "what follows three duplicate acknowledgements: RFC 5681, 6582, 6675; `sack` is "
                         "NewReno where the peer has no SACK"}},
               {"initial_window", &O::initial_window, {.help = "RFC 6928", .unit = "segments", .least = 1}},
               {"initial_ssthresh",
                &O::initial_ssthresh,
                {.help = "where the first slow start ends", .unit = "bytes"}},
               {"bytes_counted_per_ack",
                &O::bytes_counted_per_ack,
                {.help = "growth in slow start per acknowledgement at most: L of RFC 3465; 0: all, as Linux",
                 .unit = "segments"}},
               {"byte_counting",
                &O::byte_counting,
                {.help = "false: congestion avoidance grows by MSS²/cwnd per acknowledgement (RFC 5681, "
                         "equation 3)"}},
               {"hystart",
                &O::hystart,
                {.help = "CUBIC leaves slow start when the round trip grows (Ha and Rhee 2011)"}},
               {"cubic_of_linux",
                &O::cubic_of_linux,
                {.help = "where Linux's CUBIC is not that of RFC 9438"}},
               {"window_of_linux",
                &O::window_of_linux,
                {.help = "a reduced window is whole segments, PRR is in proportion to the window, and growth "
                         "counts what is newly delivered; segments are at most half of the peer's largest "
                         "window, and the last with a FIN waits for no window, as in Linux"}},
               {"max_pacing_rate",
                &O::max_pacing_rate,
                {.help = "segments are spaced and leave no faster, as with SO_MAX_PACING_RATE; null: as the "
                         "congestion control says"}},
               {"restart_after_idle",
                &O::restart_after_idle,
                {.help = "an idle connection begins with the initial window (RFC 5681, 4.1)"}},
               {"start_of_linux",
                &O::start_of_linux,
                {.help = "an idle time halves the window for each timeout that it lasted, and one lost SYN "
                         "leaves the initial window and asks for no ECN when sent again, as in Linux"}},
               {"duplicate_threshold",
                &O::duplicate_threshold,
                {.help = "duplicate acknowledgements that say loss (RFC 5681, 3.2)", .least = 1}},
               {"limited_transmit", &O::limited_transmit, {.help = "RFC 3042"}},
               {"rack_tlp", &O::rack_tlp, {.help = "loss by time, and tail probes (RFC 8985); needs SACK"}},
               {"recovery_of_linux",
                &O::recovery_of_linux,
                {.help = "where Linux's RACK is not that of RFC 8985, and its undoing not that of RFC 3522"}},
               {"prr", &O::prr, {.help = "proportional rate reduction (RFC 6937)"}},
               {"next_seg_rescue",
                &O::next_seg_rescue,
                {.help = "NextSeg rules 3 and 4 of RFC 6675; without RACK"}},
               {"frto",
                &O::frto,
                {.help = "new data after a timeout tell whether it was needless (RFC 5682)"}},
               {"undo",
                &O::undo,
                {.help = "a recovery that timestamps prove needless is undone (RFC 3522, 4015)"}},
               {"window_scaling", &O::window_scaling, {.help = "offered on the SYN (RFC 7323)"}},
               {"timestamps", &O::timestamps, {.help = "offered on the SYN (RFC 7323)"}},
               {"sack", &O::sack, {.help = "offered on the SYN (RFC 2018, 2883)"}},
               {"ecn", &O::ecn, {.help = "asked for on the SYN (RFC 3168); by DCTCP always"}},
               {"mss",
                &O::mss,
                {.help = "payload of a segment without options (RFC 9293, 3.7.1)",
                 .unit = "bytes",
                 .least = 64}},
               {"send_buffer",
                &O::send_buffer,
                {.help = "what the application may write ahead of the acknowledgements",
                 .unit = "bytes",
                 .least = 64}},
               {"receive_buffer",
                &O::receive_buffer,
                {.help = "what the application may leave unread, and so the largest window",
                 .unit = "bytes",
                 .least = 64,
                 .most = 1 << 30}},
               {"initial_receive_buffer",
                &O::initial_receive_buffer,
                {.help = "the window begins with this and grows as the application keeps up; null: all from "
                         "the start",
                 .unit = "bytes",
                 .least = 64}},
               {"longest_train",
                &O::longest_train,
                {.help = "segments that travel as one object, and no more than 64 KB; 44 are that much",
                 .unit = "segments",
                 .least = 1}},
               {"size_trains_by_rate",
                &O::size_trains_by_rate,
                {.help = "a train is what the window gives in about a millisecond, and at most half of "
                         "the peer's largest window, as in Linux"}},
               {"out_of_order_ranges",
                &O::out_of_order_ranges,
                {.help = "bound of the reassembly queue", .unit = "gaps", .least = 1}},
               {"segments_in_flight",
                &O::segments_in_flight,
                {.help = "bound of the scoreboard", .unit = "segments", .least = 16}},
           },
           RttEstimator::Config::options().within(&O::rto),
           {
               {"backoff_until_sample",
                &O::backoff_until_sample,
                {.help = "a doubled timeout lasts until the next round-trip sample (RFC 6298, 5); false: "
                         "until the next acknowledgement"}},
               {"data_retries",
                &O::data_retries,
                {.help = "timeouts in a row until the connection is given up (RFC 9293, 3.8.3)"}},
               {"timers_of_linux",
                &O::timers_of_linux,
                {.help =
                     "data_retries is a time, that of so many doublings of 200 ms: 15 are 924.6 s; a closed "
                     "end that nobody reads gives up after 102.2 s; a closed window is probed as in Linux"}},
               {"syn_retries",
                &O::syn_retries,
                {.help = "timeouts of a SYN in a row until the connection is given up"}},
               {"synack_retries",
                &O::synack_retries,
                {.help = "the same of the answer to a SYN; Linux's tcp_synack_retries"}},
               {"syn_linear_timeouts",
                &O::syn_linear_timeouts,
                {.help = "so many first timeouts of a SYN do not double, and come on top of syn_retries: "
                         "Linux 6.5's tcp_syn_linear_timeouts",
                 .most = 100}},
               {"icmp_of_linux",
                &O::icmp_of_linux,
                {.help =
                     "any error by ICMP ends an attempt to connect, and no way takes back a doubled timeout "
                     "(RFC 6069), as in Linux; false: only a refused protocol or port (RFC 1122, 4.2.3.9)"}},
               {"delayed_ack", &O::delayed_ack, {.help = "RFC 1122, 4.2.3.2"}},
               {"delayed_ack_timeout",
                &O::delayed_ack_timeout,
                {.help = "how long an acknowledgement may be delayed", .least = 1, .most = 500'000'000}},
               {"delayed_ack_segments",
                &O::delayed_ack_segments,
                {.help = "at least every so many segments are acknowledged", .unit = "segments", .least = 1}},
               {"quick_acks",
                &O::quick_acks,
                {.help = "this many segments at the beginning are acknowledged at once, as in Linux",
                 .unit = "segments"}},
               {"receiver_of_linux",
                &O::receiver_of_linux,
                {.help = "the window follows the buffer by two segments for each that comes, which is then "
                         "acknowledged at once; what is pushed or short is acknowledged when it is read; an "
                         "unscaled window is whole segments, as in Linux"}},
               {"compressed_acks",
                &O::compressed_acks,
                {.help = "so many acknowledgements that tell of a gap become one, after the first three; 0: "
                         "none; Linux's tcp_comp_sack_nr",
                 .unit = "acknowledgements"}},
               {"ack_compression_delay",
                &O::ack_compression_delay,
                {.help = "how long those may wait, and no longer than a twentieth of a round trip; Linux's "
                         "tcp_comp_sack_delay_ns"}},
               {"checks_of_linux",
                &O::checks_of_linux,
                {.help = "segments are judged and answered as in Linux: PAWS takes acknowledgements out of "
                         "order, and an empty segment that is unacceptable is answered once in 0.5 s"}},
               {"ack_per_train",
                &O::ack_per_train,
                {.help = "one acknowledgement for what travels together, as behind GRO"}},
               {"nagle",
                &O::nagle,
                {{"off", Nagle::off}, {"rfc", Nagle::rfc}, {"minshall", Nagle::minshall}},
                {.help = "no short segment while anything (RFC 1122, 4.2.3.4), or a short one (Linux), is "
                         "unacknowledged"}},
               {"push_of_linux",
                &O::push_of_linux,
                {.help = "PSH also when half of the largest window was sent since the last one, and on what "
                         "travels together, as in Linux"}},
               {"persist_minimum",
                &O::persist_minimum,
                {.help = "first wait before a window probe (RFC 9293, 3.8.6.1)", .least = 1}},
               {"persist_maximum", &O::persist_maximum, {.help = "longest wait between window probes"}},
               {"keepalive_idle",
                &O::keepalive_idle,
                {.help = "silence before a keep-alive (RFC 9293, 3.8.4); null: never", .least = 1}},
               {"keepalive_interval", &O::keepalive_interval, {.help = "between keep-alives", .least = 1}},
               {"keepalive_probes",
                &O::keepalive_probes,
                {.help = "unanswered keep-alives until the connection is given up", .least = 1}},
               {"time_wait", &O::time_wait, {.help = "2 MSL (RFC 9293, 3.4.2)"}},
               {"fin_wait_2",
                &O::fin_wait_2,
                {.help = "how long an end that nobody reads waits for the other's FIN; null: for ever"}},
           }}),
      {{"linux", linux_like()}, {"rfc", rfc()}, {"reno-2004", reno_2004()}, {"tahoe-2004", tahoe_2004()}});
  return table;
}

void TcpOptions::check(const std::string& owner) const {
  const std::string place = "set TCP options of " + owner;
  options().check(*this, place);
  const auto require = [&place](bool holds, const char* field, auto value, const char* range) {
    if (holds) return;
    throw ConfigError(place + ": " + field + " is " + std::to_string(value) + "; it must be " + range);
  };
  require(send_buffer >= mss, "send_buffer", send_buffer, "at least one mss");
  require(receive_buffer >= mss, "receive_buffer", receive_buffer, "at least one mss");
  require(!initial_receive_buffer || *initial_receive_buffer >= mss, "initial_receive_buffer",
          initial_receive_buffer.value_or(0), "at least one mss");
  require(rto.maximum_rto >= rto.minimum_rto, "maximum_rto_ns", rto.maximum_rto.count_ns(),
          "at least minimum_rto_ns");
  require(rto.initial_rto <= rto.maximum_rto, "initial_rto_ns", rto.initial_rto.count_ns(),
          "at most maximum_rto_ns");
  require(persist_minimum <= persist_maximum, "persist_minimum_ns", persist_minimum.count_ns(),
          "at most persist_maximum_ns");
}

}  // namespace simcore
