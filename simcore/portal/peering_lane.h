// SPDX-License-Identifier: MIT
//
// Lane: one stream of batches between two peering portals, in each direction: a sender, a reassembly, and the
// account of what was lost on the way here.
//
//   sent by the peer = received + pending + lost, whichever of its sessions they were of
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "simcore/link/drop_counters.h"
#include "simcore/portal/peering_reassembly.h"
#include "simcore/portal/peering_sender.h"
#include "simcore/portal/peering_transport.h"
#include "simcore/portal/peering_wire.h"

namespace simcore::peering {

// Takes the batches of all lanes.
class LaneSink {
 public:
  // Returns how many segments are in the body, which may be damaged: at most those that the header announces.
  virtual std::uint32_t take_batch(std::size_t lane, const PieceHeader& header,
                                   std::span<const std::uint8_t> body) = 0;

 protected:
  ~LaneSink() = default;
};

class Lane final : private BatchSink {
 public:
  // `transport` and `sink` must outlive this. As the sender, whose datagrams fit the transport.
  Lane(std::size_t number, Transport& transport, const PeeringSender::Config& config,
       std::function<SimTime()> wall_now, LaneSink& sink);

  Transport& transport() { return transport_; }
  const Transport& transport() const { return transport_; }
  PeeringSender& sender() { return sender_; }
  const PeeringSender& sender() const { return sender_; }
  Reassembly& reassembly() { return reassembly_; }

  // Takes a piece of the peer's present session. Precondition: as Reassembly::take().
  void take_piece(const PieceHeader& header, std::span<const std::uint8_t> payload);

  // The peer begins a session, and has sent so much in it; or has sent so much by now.
  void begin_session(const LaneSent& sent);
  void told(const LaneSent& sent);

  std::uint64_t received_segments() const { return received_before_ + received_; }
  std::uint64_t received_batches() const { return received_batches_; }
  std::uint64_t pending_segments() const { return reassembly_.pending_segments(); }
  std::uint64_t lost_segments() const;                      // what is still under way included
  const DropCounters& dropped() const { return dropped_; }  // datagrams

 private:
  void take_batch(const PieceHeader& header, std::span<const std::uint8_t> body) override;
  std::uint64_t lost_in_session() const;

  std::size_t number_;
  Transport& transport_;
  PeeringSender sender_;
  LaneSink& sink_;
  Reassembly reassembly_{*this};
  DropCounters dropped_;
  std::uint64_t received_batches_ = 0;

  // Of the peer's present session, and of those before.
  std::uint64_t first_ = 0;  // segments that it had sent before any could come here
  std::uint64_t told_ = 0;   // that it has sent, as it says
  std::uint64_t received_ = 0;
  std::uint64_t received_before_ = 0;
  std::uint64_t lost_before_ = 0;
};

}  // namespace simcore::peering
