// SPDX-License-Identifier: MIT
//
// Port: an end to which a link can be joined.
//
//   link --accept()--> port          what arrives from the link
//   port --emit()----> link          what this end sends, into the sink that was attached
//
// Interfaces of nodes, emulation portals and channels of peering portals are ports, so that
// a link joins any two.
#pragma once

#include <utility>

#include "simcore/packet/packet.h"

namespace simcore {

class Port : public PacketSink {
 public:
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  // From now on emit() gives packets to `out`, which must outlive the port's last emit().
  void attach(PacketSink& out) { out_ = &out; }
  bool attached() const { return out_ != nullptr; }
  // From now on nothing is attached.
  void detach() { out_ = nullptr; }

  // The link at this end has come up, or down. Those that look at it override it.
  virtual void link_changed(bool /*up*/) {}

 protected:
  Port() = default;
  ~Port() = default;

  // Precondition: attached().
  void emit(PacketPtr packet) { out_->accept(std::move(packet)); }

 private:
  PacketSink* out_ = nullptr;
};

}  // namespace simcore
