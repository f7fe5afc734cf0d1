// SPDX-License-Identifier: MIT
//
// Corrupt: an element in front of a link that flips bits.
//
//   accept() --> [ which bits? ] --> sink.accept()
//
// Bits of the whole frame are alike: headers, payload, virtual payload (which is stored then, as it is not zeros any
// more). A checksum that is still partial is finished before a bit is flipped, as the sender's network card would have
// done before the link; otherwise a damaged segment would get a valid checksum at the next portal. Frame check
// sequences are not modelled: what real Ethernet would drop is delivered damaged, as netem does.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "simcore/kernel/simulation.h"
#include "simcore/link/delay_line.h"
#include "simcore/link/drop_counters.h"
#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"

namespace simcore {

// Appends the numbers of the bits that are flipped in the next segment, which has `bits` bits.
using ErrorModel =
    std::function<void(RandomStream&, std::uint64_t bits, std::vector<std::uint64_t>& flipped)>;

// Each bit with this probability, independently. One random number per error. Throws ConfigError unless 0 <= rate < 1.
ErrorModel independent_bit_errors(double rate);

// One bit, anywhere, of each segment with this probability; netem's `corrupt`. Throws ConfigError unless it is one.
ErrorModel one_bit_errors(double probability);

class Corrupt final : public PacketSink {
 public:
  // `name` names its random stream. Simulation, pool and sink must outlive it.
  Corrupt(Simulation& simulation, PacketPool& pool, std::string_view name, ErrorModel model,
          PacketSink& sink);

  void accept(PacketPtr packet) override;

  // From now on another model.
  void change(ErrorModel model) { model_ = std::move(model); }

  std::uint64_t accepted() const { return accepted_; }    // segments: those passed on and those dropped
  std::uint64_t corrupted() const { return corrupted_; }  // segments in which a bit was flipped
  const DropCounters& dropped() const { return dropped_; }

 private:
  struct Flip {
    std::uint64_t segment;  // its number in the train, from 1
    std::uint64_t bit;
  };

  std::uint64_t decide(std::uint64_t segment, std::uint64_t bytes);
  PacketPtr damaged(PacketPtr piece, std::uint64_t segment);

  PacketPool& pool_;
  RandomStream random_;
  ErrorModel model_;
  PacketSink& sink_;
  DelayLine later_;          // pieces of trains, until their first segment is here
  std::vector<Flip> flips_;  // in the packet that is being looked at
  std::vector<std::uint64_t> flipped_;
  std::uint64_t accepted_ = 0;
  std::uint64_t corrupted_ = 0;
  DropCounters dropped_;
};

}  // namespace simcore
