// SPDX-License-Identifier: MIT
#include "simcore/datapath/openflow_options.h"

#include <charconv>

#include "simcore/units/error.h"

namespace simcore {

const OptionTable<OpenFlowSetup>& openflow_options() {
  using S = OpenFlowSetup;
  static const OptionTable<S> table(
      "openflow", "a simulated OpenFlow switch", S{},
      {{"dpid",
        &S::dpid,
        {.help = "datapath id", .pattern = "^[0-9a-f]{16}$", .required = true, .plan_only = true}},
       {"protocols", &S::protocols, {.help = "that it speaks", .least_items = 1, .plan_only = true}},
       {"fail_mode",
        &S::fail_mode,
        {{"secure", S::FailMode::secure}, {"standalone", S::FailMode::standalone}},
        {.help = "without a controller: only its flows, or as a bridge", .plan_only = true}},
       {"controllers", &S::controllers, {.help = "that it connects to", .plan_only = true}},
       {"listens", &S::listens, {.help = "where it takes connections", .plan_only = true}},
       {"longest_retry",
        &S::longest_retry,
        {.help = "between two attempts to reach a controller", .least = 1'000'000, .plan_only = true}},
       {"table_size",
        &S::table_size,
        {.help = "how many flows its tables hold together; more are refused (`OFPFMFC_TABLE_FULL`)",
         .unit = "flows",
         .least = 1,
         .most = 1'000'000}},
       {"setup_rate",
        &S::setup_rate,
        {.help = "modifications of flows, groups and meters that it takes per second, one after the other; "
                 "each has its effect when its time is over; 0: they take no time",
         .most = 1'000'000'000}}});
  return table;
}

openflow::SwitchConfig OpenFlowSetup::config(const std::string& name) const {
  const std::string attempt = "make switch " + name + ": ";
  openflow::SwitchConfig made;
  made.name = name;
  const auto [end, problem] = std::from_chars(dpid.data(), dpid.data() + dpid.size(), made.dpid, 16);
  if (problem != std::errc{} || end != dpid.data() + dpid.size())
    throw ConfigError(attempt + "dpid " + dpid + " is none; write 16 hexadecimal digits");
  made.versions = 0;
  for (const std::string& protocol : protocols) {
    if (protocol == "OpenFlow10") {
      made.versions |= 1U << 1;
    } else if (protocol == "OpenFlow13") {
      made.versions |= 1U << 4;
    } else {
      std::string message = attempt;
      message += "it does not speak ";
      message += protocol;
      message += "; a simulated switch has OpenFlow10 and OpenFlow13";
      throw ConfigError(message);
    }
  }
  made.standalone = fail_mode == FailMode::standalone;
  made.table_size = table_size;
  made.setup_rate = setup_rate;
  return made;
}

}  // namespace simcore
