// SPDX-License-Identifier: MIT
//
// What an iperf3 client and server tell each other over the control connection, as iperf 3.1 to 3.16 do:
//
//   client                                   server
//     |-- cookie, 37 bytes ------------------->|
//     |<------------- PARAM_EXCHANGE, 1 byte --|     a state is one byte
//     |-- parameters ------------------------->|     JSON behind its length, 4 bytes
//     |<--------------------- CREATE_STREAMS --|
//     |== streams, each with the cookie ======>|     UDP: a datagram each way instead
//     |<---------- TEST_START, TEST_RUNNING ---|
//     |== data ===============================>|     with -R the other way
//     |-- TEST_END --------------------------->|
//     |<------------------- EXCHANGE_RESULTS --|
//     |-- results ---------------------------->|
//     |<-- results, DISPLAY_RESULTS -----------|
//     |-- IPERF_DONE ------------------------->|
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simcore/application/json.h"
#include "simcore/units/time.h"

namespace simcore {

enum class Iperf3State : std::uint8_t {
  test_start = 1,
  test_running = 2,
  test_end = 4,
  param_exchange = 9,
  create_streams = 10,
  server_terminate = 11,
  client_terminate = 12,
  exchange_results = 13,
  display_results = 14,
  iperf_done = 16,
  server_error = 0xfe,   // -2
  access_denied = 0xff,  // -1
};

constexpr std::size_t kIperf3Cookie = 37;              // bytes, with the zero at the end
constexpr std::size_t kIperf3LargestMessage = 65'536;  // bytes of JSON that we read

// The first datagram of a UDP stream and its answer, as they stand on the wire between little-endian machines.
constexpr std::string_view kIperf3UdpConnect = "9876";
constexpr std::string_view kIperf3UdpReply = "6789";

struct Iperf3Parameters {
  static constexpr std::int64_t kMostStreams = 128;  // as iperf3's own bound

  bool udp = false;
  bool reverse = false;
  bool bidirectional = false;
  std::int64_t streams = 1;          // in each direction
  std::int64_t block = 131'072;      // bytes; of UDP the payload of a datagram
  std::int64_t rate = 0;             // bit/s of each stream; 0: no limit
  Duration time = Duration::zero();  // of the test; zero: not limited by time
  Duration omit = Duration::zero();  // at its start, not counted
  bool wide_counters = false;        // datagrams are numbered by 64 bits

  // Bytes that a stream may have sent so long after its beginning. With a rate whole blocks, the first at once: a next one
  // begins when the rate has carried those before (iperf3's iperf_check_throttle).
  std::int64_t allowed_after(Duration elapsed) const;

  // None when a value is of another type, out of range, or one that this server cannot serve: a
  // protocol other than TCP and UDP, or a UDP stream toward the client without a rate.
  static std::optional<Iperf3Parameters> of(const Json& message);

  // The message that a client tells them by.
  Json to_json() const;
};

struct Iperf3StreamResult {
  std::int64_t id = 0;
  std::int64_t bytes = 0;
  std::optional<std::int64_t> retransmits;  // of a TCP sender
  double jitter_ns = 0;
  std::int64_t errors = 0;  // datagrams that did not come
  std::int64_t omitted_errors = 0;
  std::int64_t packets = 0;
  std::int64_t omitted_packets = 0;
};

// The results of the client or the server; `sends_tcp` when it is the sender of TCP streams.
Json iperf3_results(const std::vector<Iperf3StreamResult>& streams, bool receives_only, bool sends_tcp,
                    Duration lasted);

// The streams in a message of results. None when they are malformed.
std::optional<std::vector<Iperf3StreamResult>> iperf3_streams(const Json& results);

// Reads the messages of the control connection out of its bytes: states, and JSON behind its length.
class Iperf3MessageReader {
 public:
  enum class Outcome : std::uint8_t { more, message, refused };

  // Takes one byte.
  Outcome take(std::uint8_t byte);
  const Json& message() const { return message_; }

 private:
  std::string bytes_;  // the length, then the text
  Json message_;
};

// A message as it is sent.
std::string iperf3_frame(const Json& message);

}  // namespace simcore
