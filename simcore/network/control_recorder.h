// SPDX-License-Identifier: MIT
//
// ControlRecorder: what the peers of OpenFlow switches do, as changes in a record; and what carriers do. Each is one line
// of JSON, as hybridnet's notes of other changes are.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "simcore/network/portal_recorder.h"
#include "simcore/openflow/control_log.h"

namespace simcore {

class ControlRecorder final : public openflow::ControlLog {
 public:
  // It must outlive this.
  explicit ControlRecorder(PortalRecorder& record) : record_(record) {}

  void opened(const openflow::Switch& of, std::uint64_t connection, openflow::Session::Kind kind) override;
  void heard(const openflow::Switch& of, std::uint64_t connection,
             std::span<const std::uint8_t> bytes) override;
  void closed(const openflow::Switch& of, std::uint64_t connection) override;
  // The device of a portal has a carrier now, or none.
  void carrier(const std::string& portal, bool there);

 private:
  PortalRecorder& record_;
};

}  // namespace simcore
