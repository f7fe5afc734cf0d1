// SPDX-License-Identifier: MIT
//
// FluidQueue: a drop-tail queue and its transmitter, shared by packets and a fluid background. First in, first out: a
// packet leaves when all that was there before it, packets and fluid, has been sent.
//
//   begins = now + (fluid + packets that wait) / rate      departs = begins + size / rate
//
// While a packet is being sent the fluid grows at its rate r; else it grows or shrinks at r - C, and stays between zero and
// the room that the packets leave. So between two instants at which something changes (a packet comes, begins or departs;
// the fluid's rate changes) the fluid is a line, cut off at both ends, and advance() goes from one to the next. There is no
// event. A constant rate r leaves C - r to packets that always wait.
//
// Limit: the queue holds `packets`, of which the fluid takes one for each `packet_size` of it, and `bytes` besides. The fluid
// that finds no room is lost, and counted. A packet that finds no room competes with the fluid, r, for the places that become
// free at the link's rate, C. With a time t between packets (a moving average of the last 16 or so), r t of fluid and one
// packet ask for places, and what the link sends meanwhile frees them: C t, and what a packet takes more of the limit than of
// the link (a place is one of 1,500 bytes, or its own bytes where the limit is in bytes). Where more ask than are free, each
// gets the share s = (C t + place - size) / (r t + place), 1 at most. Of the packets a part a = (C - r) t / place finds room
// without that (none where r > C), so of the others each would get a place with the probability (s - a) / (1 - a). But only
// fluid that still comes can give up its place: the more there is of it the likelier, r / C, was it the last to take one. The
// fluid that would have had the place is lost afterwards; until then the queue is longer than its limit by that place.
//
// Besides its source, the queue may be one of many on the way of others (simcore/network/fluid_flows.h): pass() says what comes
// from there, observe() what the queue did to it. All fluid that comes at one instant is treated alike.
//
// Arithmetic: exact, so that nothing depends on how often somebody looks. Time is counted in the work the transmitter can
// do, 1e-9 bits at a time (x = nanoseconds * C), and the fluid in 1e-9 / C bits, which makes r * dx and C * dx whole numbers.
// Only a packet's beginning is rounded, by less than 1e-9 bits, and its departure, up to a nanosecond.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "simcore/kernel/random.h"
#include "simcore/link/background.h"
#include "simcore/link/ring.h"
#include "simcore/units/data.h"
#include "simcore/units/time.h"

namespace simcore {

class FluidQueue {
 public:
  struct Config {
    DataRate rate;                                  // >= 1 bit/s
    std::int64_t packets = 1'000;                   // >= 1
    std::optional<ByteCount> bytes = std::nullopt;  // >= 1
  };

  // Of the background, whole bytes: offered = served + lost + waiting.
  struct Counters {
    std::int64_t offered_bytes = 0;
    std::int64_t served_bytes = 0;
    std::int64_t lost_bytes = 0;
    std::int64_t waiting_bytes = 0;
  };

  // When a packet begins to be sent, and when its last bit has left, both rounded up.
  struct Place {
    SimTime begins;
    SimTime departs;
  };

  static constexpr ByteCount kPacketSize =
      ByteCount::bytes(1'500);  // of the background, against a limit in packets

  // `source`: null: none. `places` decides which packets get a place in a queue that overflows.
  FluidQueue(const Config& config, std::unique_ptr<BackgroundSource> source, const RandomStream& places,
             SimTime now);

  // Precondition of all that take `now`: it is not before the last one.

  // Lets a packet of `size` in, or says none.
  std::optional<Place> admit(ByteCount size, SimTime now);

  // Lets a packet in which has been let in before, by whatever was here before this queue.
  Place hold(ByteCount size, SimTime now);

  // Keeps the transmitter busy until `free` with something that does not count. Precondition: no packet is here.
  void block_until(SimTime free, SimTime now);

  // From now on this configuration; what waits goes on at the new rate, whatever the limit.
  void change(const Config& config, SimTime now);

  // From now on another source, or none; the fluid that waits goes on.
  void change_source(std::unique_ptr<BackgroundSource> source, SimTime now);

  // From now on so much comes besides what the source sends, and so much is lost before it can come, and only counted: together
  // 0 to kMostFluidRate.
  void pass(std::int64_t bits_per_second, std::int64_t lost, SimTime now);

  // What comes now waits so long, and this share of all fluid that has come since the last call was lost.
  FluidFeedback observe(SimTime now);

  // Takes away all packets and all fluid, which counts as lost, and then is silent until there is another source.
  void clear(SimTime now);

  // The packets that wait or are being sent, in their order. Precondition: index < packets().
  Place place(std::size_t index) const;
  std::int64_t packets(SimTime now);
  ByteCount bytes(SimTime now);

  Counters counters(SimTime now);
  // How long what comes now waits.
  Duration waiting(SimTime now);

 private:
  using Work = __int128;  // 1e-9 bits, or in 1e-9 / C bits

  struct Entry {
    Work begins;
    Work departs;
    std::int64_t bytes;  // zero: it takes no place
  };

  // An amount of fluid, which may be more than `grains` holds: whole 1e-9 bits, and grains of 1e-9 / C bits.
  struct Amount {
    Work whole = 0;
    Work grains = 0;
  };

  void advance(SimTime now);
  void flow(Work dx, bool packet);
  void pour(Work grains);
  void settle();
  void next_piece();
  void pop();
  void note_offer();
  bool wins_place(Work place, ByteCount size);
  Work room_beside(std::int64_t packets, std::int64_t bytes) const;
  Work packet_work() const;
  Work waiting_work() const;
  Place put(ByteCount size);
  SimTime time_of(Work x) const;
  Work position_of(SimTime time) const;

  Config config_;
  std::int64_t rate_;
  std::unique_ptr<BackgroundSource> source_;
  RandomStream places_;
  SimTime base_;                   // where x is zero
  Work x_ = 0;                     // up to where all is known
  std::int64_t fluid_rate_ = 0;    // of both together:
  std::int64_t source_rate_ = 0;   // what the source sends,
  std::int64_t passing_rate_ = 0;  // and what comes from elsewhere;
  std::int64_t refused_rate_ = 0;  // and what is lost of that before
  SimTime piece_until_;
  Work fluid_ = 0;       // waiting, grains
  Work room_ = 0;        // for fluid, beside the packets that are here, grains
  Work last_offer_ = 0;  // x of the last packet
  double gap_ = -1;  // between packets that were offered, a moving average in x; < 0: there was one at most
  Amount offered_;
  Amount lost_;
  Amount piece_offered_;  // since the piece began
  Amount piece_lost_;
  Work observed_offered_ = 0;  // of the whole of offered_ and lost_, what observe() has told of
  Work observed_lost_ = 0;
  Ring<Entry> waiting_;
  std::int64_t counted_ = 0;  // of waiting_, those that take a place
  std::int64_t bytes_ = 0;
};

}  // namespace simcore
