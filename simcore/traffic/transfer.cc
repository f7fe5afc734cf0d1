// SPDX-License-Identifier: MIT
#include "simcore/traffic/transfer.h"

#include "simcore/units/error.h"

namespace simcore {

Transfer::Transfer(Simulation& simulation, TcpSockets& client, TcpSockets& server, const Config& config)
    : simulation_(simulation),
      client_(simulation, client,
              {.name = config.name,
               .server_address = config.server_address,
               .port = config.port,
               .bytes = config.bytes,
               .start = config.start,
               .tcp = config.client}),
      server_(server, {.port = config.port, .bytes = config.bytes, .tcp = config.server}),
      sample_every_(config.sample_every),
      samples_(config.name, "tcp",
               {"cwnd_bytes", "ssthresh_bytes", "in_flight_bytes", "rto_s", "received_bytes"}) {
  if (sample_every_ < Duration::zero()) {
    throw ConfigError("add transfer " + config.name + ": sample_every is negative; zero means no samples");
  }
  if (sample_every_ > Duration::zero()) client_.wake_at_first_byte(sample_);
}

Transfer::Outcome Transfer::outcome() const {
  return {.client = client_.outcome(),
          .server_error = server_.error(),
          .sender = server_.counters(),
          .cwnd_bytes = cwnd_bytes_,
          .rto_seconds = rto_seconds_,
          .rtt_seconds = rtt_seconds_};
}

void Transfer::sample() {
  const TcpSender* const sender = server_.sender();
  if (sender == nullptr || finished()) return;
  const CongestionWindow& window = sender->congestion_window();
  const double rto = sender->rtt().rto_without_backoff().in_seconds();
  const auto cwnd = static_cast<double>(window.cwnd);
  cwnd_bytes_.add(cwnd);
  rto_seconds_.add(rto);
  rtt_seconds_.add(sender->rtt().srtt().in_seconds());
  samples_.record(simulation_.now(),
                  {cwnd, static_cast<double>(window.ssthresh), static_cast<double>(sender->in_flight()), rto,
                   static_cast<double>(received())});
  simulation_.schedule_in(sample_, sample_every_);
}

}  // namespace simcore
