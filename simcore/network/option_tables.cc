// SPDX-License-Identifier: MIT
#include "simcore/network/option_tables.h"

#include "simcore/application/application_options.h"
#include "simcore/datapath/openflow_options.h"
#include "simcore/network/fluid_model.h"
#include "simcore/network/link_options.h"
#include "simcore/options/option_table.h"
#include "simcore/portal/portal_options.h"
#include "simcore/realtime/run_loop_options.h"
#include "simcore/tcp/tcp_options.h"

namespace simcore {

std::vector<const TableFacts*> option_tables() {
  return {&LinkOptions::options().facts(),  &TcpOptions::options().facts(), &run_loop_options().facts(),
          &PeeringOptions::table().facts(), &peer_options().facts(),        &openflow_options().facts()};
}

std::vector<const FamilyFacts*> option_families() {
  return {&applications().facts(), &portals().facts(), &fluid_models().facts()};
}

}  // namespace simcore
