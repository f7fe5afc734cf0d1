// SPDX-License-Identifier: MIT
#include "simcore/python/link_model.h"

#include "simcore/network/link_options.h"
#include "simcore/options/option_table.h"
#include "simcore/python/option_value.h"

namespace simcore::python {

LinkModel link_model(const nanobind::dict& from, const std::string& place) {
  return LinkOptions::options().read(option_value(from, place), place).link_model(place);
}

std::optional<LinkModel> changed_model(const std::optional<nanobind::dict>& from, const std::string& place) {
  return from ? std::optional(link_model(*from, place)) : std::nullopt;
}

}  // namespace simcore::python
