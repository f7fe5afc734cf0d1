// SPDX-License-Identifier: MIT
//
// OpenFlowSetup: what a plan says of an OpenFlow switch, and the table by which it is read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simcore/openflow/switch.h"
#include "simcore/options/option_table.h"
#include "simcore/units/time.h"

namespace simcore {

struct OpenFlowSetup {
  enum class FailMode : std::uint8_t { secure, standalone };

  std::string dpid;  // 16 hexadecimal digits
  std::vector<std::string> protocols = {"OpenFlow13"};
  FailMode fail_mode = FailMode::secure;
  std::vector<std::string> controllers;  // "tcp:198.18.0.254:6653"
  std::vector<std::string> listens;      // "unix:/run/openvswitch/s1.mgmt"
  Duration longest_retry = Duration::seconds(1);
  std::int64_t table_size = 1'000'000;
  double setup_rate = 0;

  // Throws ConfigError for a dpid or a version that is none.
  openflow::SwitchConfig config(const std::string& name) const;
};

const OptionTable<OpenFlowSetup>& openflow_options();

}  // namespace simcore
