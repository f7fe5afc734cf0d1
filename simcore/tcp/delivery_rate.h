// SPDX-License-Identifier: MIT
//
// DeliveryRate: how fast the network delivers, sampled at every acknowledgement
// (draft-cheng-iccrg-delivery-rate-estimation-02; Linux net/ipv4/tcp_rate.c).
//
// A sample is the data delivered between the sending of a segment and its acknowledgement, over the longer of the time
// that sending it took and the time that acknowledging it took, so neither a burst of segments nor of acknowledgements
// makes it too large.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "simcore/tcp/scoreboard.h"
#include "simcore/units/time.h"

namespace simcore {

class DeliveryRate {
 public:
  struct Sample {
    std::int64_t delivered = 0;  // bytes in `interval`; 0 when there is no sample
    Duration interval = Duration::zero();
    std::int64_t prior_delivered = 0;  // delivered() when the sampled segment was sent: marks round trips
    std::int64_t in_flight = 0;        // when the sampled segment was sent, itself included
    std::int64_t lost = 0;             // bytes found to be lost since then
    bool application_limited = false;

    bool valid() const { return delivered > 0 && interval > Duration::zero(); }
    double bytes_per_second() const { return static_cast<double>(delivered) / interval.in_seconds(); }
  };

  std::int64_t delivered() const { return delivered_; }
  bool application_limited() const { return application_limited_until_ > 0; }
  // Of the sample that take() is going to return: nothing when this acknowledgement delivered nothing.
  std::optional<std::int64_t> prior_delivered() const {
    return have_ ? std::optional(prior_delivered_) : std::nullopt;
  }

  // A segment is sent, or sent again; before it `in_flight` bytes were, and `lost` were found to be lost since the beginning.
  void on_sent(SentSegment& segment, SimTime now, std::int64_t in_flight, std::int64_t lost) {
    if (in_flight == 0) {
      first_sent_time_ = now;
      delivered_time_ = now;
    }
    segment.first_sent_time = first_sent_time_;
    segment.delivered_time = delivered_time_;
    segment.delivered = delivered_;
    segment.lost_before = static_cast<std::uint32_t>(lost);
    segment.in_flight = static_cast<std::uint32_t>(in_flight + segment.length());
    segment.application_limited = application_limited_until_ > 0;
  }

  void on_delivered(const SentSegment& segment, SimTime now) {
    delivered_ += segment.length();
    delivered_time_ = now;
    if (have_ && segment.delivered < prior_delivered_) return;
    have_ = true;
    prior_delivered_ = segment.delivered;
    prior_time_ = segment.delivered_time;
    prior_lost_ = segment.lost_before;
    in_flight_ = segment.in_flight;
    application_limited_ = segment.application_limited;
    send_elapsed_ = segment.sent - segment.first_sent_time;
    first_sent_time_ = segment.sent;
  }

  // The application has less to send than the network would take; `pipe` bytes are in flight.
  void mark_application_limited(std::int64_t pipe) {
    application_limited_until_ = std::max<std::int64_t>(delivered_ + pipe, 1);
  }

  // The sample of the acknowledgement whose segments were just delivered; `lost` as for on_sent().
  Sample take(Duration min_rtt, std::int64_t lost) {
    Sample sample;
    if (application_limited_until_ > 0 && delivered_ > application_limited_until_)
      application_limited_until_ = 0;
    if (!have_) return sample;
    have_ = false;
    sample.prior_delivered = prior_delivered_;
    sample.in_flight = in_flight_;
    sample.lost = static_cast<std::uint32_t>(lost) - prior_lost_;
    sample.application_limited = application_limited_;
    sample.interval = std::max(send_elapsed_, delivered_time_ - prior_time_);
    if (sample.interval >= min_rtt) sample.delivered = delivered_ - prior_delivered_;
    return sample;
  }

 private:
  std::int64_t delivered_ = 0;
  SimTime delivered_time_ = SimTime::zero();
  SimTime first_sent_time_ = SimTime::zero();
  std::int64_t application_limited_until_ = 0;

  bool have_ = false;  // a segment was delivered since take()
  bool application_limited_ = false;
  std::int64_t prior_delivered_ = 0;
  SimTime prior_time_ = SimTime::zero();
  std::uint32_t prior_lost_ = 0;  // modulo 2^32
  std::uint32_t in_flight_ = 0;
  Duration send_elapsed_ = Duration::zero();
};

}  // namespace simcore
