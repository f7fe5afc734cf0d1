// SPDX-License-Identifier: MIT
//
// Server: the transmitter of a ServedLink: when a frame that starts now has left.
//
//   RateServer         a rate; fractions of a nanosecond are carried on, so a busy one keeps its rate exactly
//   TokenBucketServer  a token bucket, with a peak rate where one is given
//   OpportunityServer  opportunities to send, as recorded on a real link (opportunity_trace.h)
#pragma once

#include <cstdint>
#include <optional>

#include "simcore/link/opportunity_trace.h"
#include "simcore/packet/packet.h"
#include "simcore/units/data.h"
#include "simcore/units/time.h"

namespace simcore {

class Server {
 public:
  Server() = default;
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  virtual ~Server() = default;

  // `frame` is what serve() is asked about next. Who looks at no more than its size need not know.
  virtual void announce(const Packet& /*frame*/, SimTime /*start*/) {}

  // When a frame of `size` has left that starts at `start`. Called in the order of time, for one frame at a time:
  // `start` is not before what was returned last. Precondition: carries(size).
  virtual SimTime serve(ByteCount size, SimTime start) = 0;

  // Whether a frame of that size can ever leave.
  virtual bool carries(ByteCount) const { return true; }
};

class RateServer final : public Server {
 public:
  // Throws ConfigError when the rate is below 1 bit/s.
  explicit RateServer(DataRate rate);

  SimTime serve(ByteCount size, SimTime start) override;

  // From now on another rate: what is left of a frame that leaves at `departure` takes the new one. Returns its new
  // departure. Throws ConfigError as above, and then nothing has changed. Precondition: departure >= now.
  SimTime change(DataRate rate, SimTime departure, SimTime now);

  DataRate rate() const { return rate_; }

 private:
  DataRate rate_;
  SimTime free_ = SimTime::zero();
  std::int64_t fraction_ = 0;  // free_ was rounded up by fraction_ / rate nanoseconds
};

class TokenBucketServer final : public Server {
 public:
  struct Config {
    DataRate rate;                                // tokens: >= 1 bit/s
    ByteCount burst;                              // the bucket: >= 1, at most 2^40; full at the start
    std::optional<DataRate> peak = std::nullopt;  // of the transmitter; none: what has tokens leaves at once
  };

  // Throws ConfigError when a value is out of its range.
  explicit TokenBucketServer(const Config& config);

  SimTime serve(ByteCount size, SimTime start) override;
  bool carries(ByteCount size) const override { return size <= config_.burst; }

 private:
  using Work = __int128;  // bits times nanoseconds per second: exact

  Config config_;
  Work tokens_;
  SimTime filled_ = SimTime::zero();  // when tokens_ was true
  std::optional<RateServer> peak_;
};

class OpportunityServer final : public Server {
 public:
  // An opportunity carries `bytes` of the frames that wait; a frame may need several, and what nobody needs is lost.
  // The default is a full Ethernet frame. Throws ConfigError when `bytes` is below 1.
  explicit OpportunityServer(OpportunityTrace trace, ByteCount bytes = ByteCount::bytes(1'514));

  SimTime serve(ByteCount size, SimTime start) override;

 private:
  OpportunityTrace trace_;
  ByteCount bytes_;
  ByteCount left_ = ByteCount::zero();  // of the opportunity at current_
  SimTime current_ = SimTime::zero();
  std::uint64_t next_ = 0;  // opportunity
};

}  // namespace simcore
