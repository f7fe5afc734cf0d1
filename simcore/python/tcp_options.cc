// SPDX-License-Identifier: MIT
#include "simcore/python/tcp_options.h"

#include <nanobind/stl/string.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>

#include "simcore/units/error.h"

namespace nb = nanobind;

namespace simcore::python {

namespace {

using Set = std::function<void(TcpOptions&, nb::handle)>;

template <class Field>
Set field(Field TcpOptions::*where) {
  return [where](TcpOptions& options, nb::handle value) {
    if constexpr (std::is_same_v<Field, Duration>) {
      options.*where = Duration::ns(nb::cast<std::int64_t>(value));
    } else if constexpr (std::is_same_v<Field, std::optional<std::int64_t>>) {
      options.*where = value.is_none() ? Field() : nb::cast<std::int64_t>(value);
    } else if constexpr (std::is_same_v<Field, std::optional<Duration>>) {
      options.*where = value.is_none() ? Field() : Duration::ns(nb::cast<std::int64_t>(value));
    } else {
      options.*where = nb::cast<Field>(value);
    }
  };
}

template <class Field>
Set rto_field(Field RttEstimator::Config::*where) {
  return [where](TcpOptions& options, nb::handle value) {
    if constexpr (std::is_same_v<Field, Duration>) {
      options.rto.*where = Duration::ns(nb::cast<std::int64_t>(value));
    } else {
      options.rto.*where = nb::cast<Field>(value);
    }
  };
}

// A field whose values have names.
template <class Field>
Set named(Field TcpOptions::*where, std::map<std::string, Field> values) {
  return [where, values = std::move(values)](TcpOptions& options, nb::handle value) {
    const auto found = values.find(nb::cast<std::string>(value));
    if (found != values.end()) {
      options.*where = found->second;
      return;
    }
    std::string known;
    for (const auto& [name, each] : values) known += (known.empty() ? "" : ", ") + name;
    throw ConfigError("\"" + nb::cast<std::string>(value) + "\" is unknown; there are " + known);
  };
}

const std::map<std::string, Set>& fields() {
  using O = TcpOptions;
  using R = RttEstimator::Config;
  static const std::map<std::string, Set> all = {
      {"mss", field(&O::mss)},
      {"send_buffer", field(&O::send_buffer)},
      {"receive_buffer", field(&O::receive_buffer)},
      {"initial_receive_buffer", field(&O::initial_receive_buffer)},
      {"keep_received_bytes", field(&O::keep_received_bytes)},
      {"longest_train", field(&O::longest_train)},
      {"size_trains_by_rate", field(&O::size_trains_by_rate)},
      {"out_of_order_ranges", field(&O::out_of_order_ranges)},
      {"segments_in_flight", field(&O::segments_in_flight)},
      {"window_scaling", field(&O::window_scaling)},
      {"timestamps", field(&O::timestamps)},
      {"sack", field(&O::sack)},
      {"ecn", field(&O::ecn)},
      {"congestion", named(&O::congestion, {{"none", CongestionAlgorithm::none},
                                            {"reno", CongestionAlgorithm::reno},
                                            {"vegas", CongestionAlgorithm::vegas},
                                            {"cubic", CongestionAlgorithm::cubic},
                                            {"bbr", CongestionAlgorithm::bbr}})},
      {"initial_window", field(&O::initial_window)},
      {"initial_ssthresh", field(&O::initial_ssthresh)},
      {"recovery", named(&O::recovery, {{"tahoe", LossRecovery::tahoe},
                                        {"reno", LossRecovery::reno},
                                        {"newreno", LossRecovery::newreno},
                                        {"sack", LossRecovery::sack}})},
      {"duplicate_threshold", field(&O::duplicate_threshold)},
      {"limited_transmit", field(&O::limited_transmit)},
      {"rack_tlp", field(&O::rack_tlp)},
      {"next_seg_rescue", field(&O::next_seg_rescue)},
      {"frto", field(&O::frto)},
      {"prr", field(&O::prr)},
      {"undo", field(&O::undo)},
      {"bytes_counted_per_ack", field(&O::bytes_counted_per_ack)},
      {"byte_counting", field(&O::byte_counting)},
      {"window_of_linux", field(&O::window_of_linux)},
      {"restart_after_idle", field(&O::restart_after_idle)},
      {"hystart", field(&O::hystart)},
      {"cubic_of_linux", field(&O::cubic_of_linux)},
      {"initial_rto_ns", rto_field(&R::initial_rto)},
      {"minimum_rto_ns", rto_field(&R::minimum_rto)},
      {"maximum_rto_ns", rto_field(&R::maximum_rto)},
      {"granularity_ns", rto_field(&R::granularity)},
      {"floor_on_variance", rto_field(&R::floor_on_variance)},
      {"backoff_until_sample", field(&O::backoff_until_sample)},
      {"data_retries", field(&O::data_retries)},
      {"syn_retries", field(&O::syn_retries)},
      {"delayed_ack", field(&O::delayed_ack)},
      {"delayed_ack_timeout_ns", field(&O::delayed_ack_timeout)},
      {"delayed_ack_segments", field(&O::delayed_ack_segments)},
      {"quick_acks", field(&O::quick_acks)},
      {"ack_per_train", field(&O::ack_per_train)},
      {"nagle", named(&O::nagle, {{"off", Nagle::off}, {"rfc", Nagle::rfc}, {"minshall", Nagle::minshall}})},
      {"keepalive_idle_ns", field(&O::keepalive_idle)},
      {"keepalive_interval_ns", field(&O::keepalive_interval)},
      {"keepalive_probes", field(&O::keepalive_probes)},
      {"fin_wait_2_ns", field(&O::fin_wait_2)},
      {"persist_minimum_ns", field(&O::persist_minimum)},
      {"persist_maximum_ns", field(&O::persist_maximum)},
      {"time_wait_ns", field(&O::time_wait)},
  };
  return all;
}

}  // namespace

TcpOptions tcp_options(const nb::dict& from, const std::string& attempt) {
  TcpOptions options =
      from.contains("preset") ? TcpOptions::preset(nb::cast<std::string>(from["preset"])) : TcpOptions::rfc();
  for (const auto& [key, value] : from) {
    const auto name = nb::cast<std::string>(key);
    if (name == "preset") continue;
    const std::string place = attempt + ": TCP option " + name;
    const auto found = fields().find(name);
    if (found == fields().end()) {
      std::string known;
      for (const auto& [each, set] : fields()) known += ", " + each;
      throw ConfigError(place + " is unknown; there are preset" + known);
    }
    try {
      found->second(options, value);
    } catch (const nb::cast_error&) {
      throw ConfigError(place + " is " + nb::cast<std::string>(nb::repr(value)) +
                        ", which is out of its range or of another type");
    } catch (const ConfigError& error) {
      throw ConfigError(place + ": " + error.what());
    }
  }
  return options;
}

}  // namespace simcore::python
