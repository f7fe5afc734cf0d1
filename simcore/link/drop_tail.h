// SPDX-License-Identifier: MIT
//
// DropTail: first in first out, and who finds the queue full is dropped. The frame being sent counts until its last
// bit has left, as in Link, so that both lose the same frames.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "simcore/link/packet_fifo.h"
#include "simcore/link/queue_discipline.h"

namespace simcore {

class DropTail final : public QueueDiscipline {
 public:
  struct Config {
    std::int64_t packets = 1'000;                   // >= 1
    std::optional<ByteCount> bytes = std::nullopt;  // >= 1
  };

  // Throws ConfigError when a limit is below 1.
  explicit DropTail(const Config& config);

  void look(const std::function<void(const Packet&)>& see) const override { waiting_.look(see); }
  std::int64_t packets() const override { return waiting_.packets(); }
  ByteCount bytes() const override { return waiting_.bytes(); }

 protected:
  void admit(PacketPtr packet, SimTime now, ByteCount sending) override;
  PacketPtr release(SimTime) override { return waiting_.pop(); }
  void hold(PacketPtr packet) override { waiting_.push(std::move(packet)); }
  std::vector<PacketPtr> drain() override { return waiting_.drain(); }

 private:
  Config config_;
  PacketFifo waiting_;
};

}  // namespace simcore
