// SPDX-License-Identifier: MIT
#include "simcore/python/bind_transfer_ends.h"

#include <limits>

#include "simcore/options/option_table.h"
#include "simcore/python/option_value.h"

namespace simcore::python {

namespace nb = nanobind;

namespace {

TcpOptions tcp_options(const nb::dict& given, const std::string& attempt) {
  return TcpOptions::options().read(option_value(given, attempt), attempt);
}

}  // namespace

double seconds_or_nan(SimTime instant) {
  return instant == SimTime::never() ? std::numeric_limits<double>::quiet_NaN()
                                     : (instant - SimTime::zero()).in_seconds();
}

const char* name_of_error(TcpError error) {
  switch (error) {
    case TcpError::none:
      return "none";
    case TcpError::refused:
      return "refused";
    case TcpError::reset:
      return "reset";
    case TcpError::timed_out:
      return "timed_out";
    case TcpError::unreachable:
      return "unreachable";
    case TcpError::aborted:
      return "aborted";
  }
  return "unknown";
}

std::size_t add_transfer_server(TransferEnds& self, const std::string& host, std::uint16_t port,
                                std::int64_t bytes, const nb::dict& tcp) {
  return self.add_server(
      host, {.port = port, .bytes = bytes, .tcp = tcp_options(tcp, "add a transfer's server: TCP options")});
}

std::size_t add_transfer_client(TransferEnds& self, const std::string& name, const std::string& host,
                                const std::string& server_address, std::uint16_t port, std::int64_t bytes,
                                std::int64_t start_ns, std::optional<std::size_t> after,
                                const nb::dict& tcp) {
  const std::string attempt = "add transfer " + name;
  return self.add_client(host,
                         {.name = name,
                          .server_address = Ipv4Address::parse(server_address),
                          .port = port,
                          .bytes = bytes,
                          .start = after ? SimTime::never() : SimTime::zero() + Duration::ns(start_ns),
                          .tcp = tcp_options(tcp, attempt + ": TCP options")},
                         after);
}

nb::list transfer_servers(const TransferEnds& self) {
  nb::list all;
  for (const auto& each : self.servers()) {
    const SenderCounters counters = each->counters();
    nb::dict row;
    row["error"] = name_of_error(each->error());
    row["segments_sent"] = counters.segments_sent;
    row["retransmitted_segments"] = counters.retransmitted_segments;
    row["timeouts"] = counters.timeouts;
    all.append(row);
  }
  return all;
}

nb::list transfer_clients(const TransferEnds& self) {
  nb::list all;
  for (const auto& each : self.clients()) {
    const TransferClient::Outcome outcome = each->outcome();
    nb::dict row;
    row["error"] = name_of_error(outcome.error);
    row["started_s"] = seconds_or_nan(outcome.started);
    row["finished"] = outcome.finished;
    row["finished_s"] = seconds_or_nan(outcome.finished_at);
    row["received_bytes"] = outcome.received;
    row["data_segments_received"] = outcome.data_segments_received;
    all.append(row);
  }
  return all;
}

}  // namespace simcore::python
