// SPDX-License-Identifier: MIT
//
// Reassembly: pieces of batches in any order in, whole batches in their order out. Pure.
//
//     given up or handed on | next ... window of kWindow batches ...      | ahead: the window moves
//     ----------------------+---------------------------------------------+--------------------------> batch
//     late                    missing, incomplete, or complete and held     too far ahead: not yet
//
// A batch is handed to the sink as soon as it is complete and none before it is missing. One that waits for a
// missing one is held; whoever owns this decides for how long (first_held(), give_up_before()), since only it
// knows when the packets in it are due. What is given up is not handed on later, so nothing is reordered.
//
// One number proves nothing: it may be forged, or damaged. A batch more than a window ahead of all others moves the window
// when the peer has told twice that it has sent about so many (told()), or when it is the third of three with consecutive
// numbers; those before it are lost. So many late ones in a row as the window has places, with consecutive numbers, move it
// back: whatever has moved it, the peer is there. Anything that falls into the window makes the counting begin anew. What
// the peer itself tells of its numbers moves it back sooner.
//
// Memory is bounded by kWindow bodies.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "simcore/portal/peering_wire.h"

namespace simcore::peering {

class BatchSink {
 public:
  // Takes the body of a whole batch, as carried; `body` is valid during the call only.
  virtual void take_batch(const PieceHeader& header, std::span<const std::uint8_t> body) = 0;

 protected:
  ~BatchSink() = default;
};

class Reassembly {
 public:
  static constexpr std::size_t kWindow = 64;
  static constexpr std::size_t kRunAhead = 3;  // batches with consecutive numbers that move the window on ...
  static constexpr std::size_t kRunLate = kWindow;  // ... or back

  enum class Outcome : std::uint8_t {
    taken,
    duplicate,  // this piece came before
    late,       // of a batch that was given up
    too_early,  // of a batch too far ahead, until others like it confirm that
    malformed,  // contradicts another piece of its batch
  };

  struct Held {
    std::uint64_t batch = 0;
    std::int64_t base_time_ns = 0;
  };

  // `sink` must outlive this.
  explicit Reassembly(BatchSink& sink) : sink_(sink), slots_(kWindow) {}

  // Precondition: `header` and `payload` were read by read_piece() and payload_of().
  Outcome take(const PieceHeader& header, std::span<const std::uint8_t> payload);

  // The peer is another one, or has begun anew: after so much. What was pending is gone.
  void begin(const LaneSent& sent);

  // The peer says that it has sent so much. A window that lies beyond that was moved by what the peer never sent; said
  // kRunAhead times, it is believed. Who sends little after an outage need not send three batches to be heard: its
  // numbers are known.
  void told(const LaneSent& sent);

  // The first complete batch that waits for a missing one.
  std::optional<Held> first_held() const;

  // Stops waiting for anything missing before `batch`: hands on, in order, what is complete.
  void give_up_before(std::uint64_t batch);

  std::uint64_t next() const { return next_; }  // everything before was handed on or given up
  std::uint64_t pending_segments() const { return pending_segments_; }  // in batches of which a piece came
  // How many segments the peer had sent at the end of the latest batch of which a piece came.
  std::uint64_t segments_known() const { return segments_known_; }

 private:
  struct Slot {
    bool used = false;
    PieceHeader header;
    std::size_t pieces = 0;  // that came
    std::bitset<kMostPieces> came;
    std::vector<std::uint8_t> body;

    bool complete() const { return used && pieces == header.pieces(); }
  };

  Slot& slot(std::uint64_t batch) { return slots_[batch % kWindow]; }
  const Slot& slot(std::uint64_t batch) const { return slots_[batch % kWindow]; }
  bool was_handed_on(std::uint64_t batch) const;
  bool confirmed(std::uint64_t batch, std::size_t run);
  void move_to(const PieceHeader& header);
  void pass_next(bool handed_on);
  void hand_on_complete();
  void finish_next();
  void take_memory(Slot& s, std::size_t size);

  BatchSink& sink_;
  std::vector<Slot> slots_;
  std::vector<std::vector<std::uint8_t>> spare_;  // bodies' memory that no slot uses
  std::uint64_t next_ = 0;
  std::uint64_t beyond_ = 0;        // after the latest batch of which a piece came
  std::bitset<kWindow> handed_on_;  // of the kWindow batches before next_: tells a duplicate from a late one
  std::uint64_t pending_segments_ = 0;
  std::uint64_t segments_known_ = 0;

  // The latest batches outside of the window that had consecutive numbers.
  std::uint64_t run_last_ = 0;
  std::size_t run_length_ = 0;
  std::size_t contradicted_ = 0;  // times in a row that the peer told of less than the window

  // Batches that the peer has sent, as it told last, and as it told twice.
  std::uint64_t told_ = 0;
  std::uint64_t told_twice_ = 0;
};

}  // namespace simcore::peering
