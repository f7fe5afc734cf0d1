// SPDX-License-Identifier: MIT
//
// The tables of all options that a plan can have. Those that they refer to come with them.
#pragma once

#include <vector>

#include "simcore/options/option_facts.h"

namespace simcore {

std::vector<const TableFacts*> option_tables();
std::vector<const FamilyFacts*> option_families();

}  // namespace simcore
