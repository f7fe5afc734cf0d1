// SPDX-License-Identifier: MIT
//
// Red: random early detection (red_control.h) of packets.
//
// With ECN a sender that understands marks is marked instead of dropped. A full queue drops all the same.
#pragma once

#include <memory>

#include "simcore/kernel/random.h"
#include "simcore/link/packet_fifo.h"
#include "simcore/link/queue_discipline.h"
#include "simcore/link/queue_model.h"
#include "simcore/link/red_control.h"

namespace simcore {

class Red final : public QueueDiscipline {
 public:
  using Config = RedControl::Config;

  // Throws ConfigError when a value is out of its range.
  Red(const Config& config, RandomStream random);

  void look(const std::function<void(const Packet&)>& see) const override { waiting_.look(see); }
  std::int64_t packets() const override { return waiting_.packets(); }
  ByteCount bytes() const override { return waiting_.bytes(); }
  double average() const { return control_.average(); }  // bytes
  double highest() const { return control_.highest(); }

 protected:
  void admit(PacketPtr packet, SimTime now, ByteCount sending) override;
  PacketPtr release(SimTime now) override;
  void hold(PacketPtr packet) override;
  std::vector<PacketPtr> drain() override { return waiting_.drain(); }

 private:
  RedControl control_;
  PacketFifo waiting_;
};

// The typical packet is 1,500 bytes at the link's rate, where it has one.
std::unique_ptr<QueueDiscipline> make_queue(const Red::Config& config, const QueuePlace& place,
                                            RandomStream random);

}  // namespace simcore
