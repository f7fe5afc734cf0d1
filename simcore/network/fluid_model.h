// SPDX-License-Identifier: MIT
//
// FluidModel: what a fluid flow sends. The models, their parameters and their tables are those of backgrounds
// (simcore/link/background.h); TCP's round trip is that of the flow's way, and so is not said.
#pragma once

#include <variant>

#include "simcore/link/background.h"
#include "simcore/link/tcp_background.h"

namespace simcore {

template <class Model>
class OptionFamily;

// Sends what a source says whatever becomes of it, or as TCP.
using FluidModel = std::variant<BackgroundModel, TcpBackground::Config>;

// All of them, by their names.
const OptionFamily<FluidModel>& fluid_models();

}  // namespace simcore
