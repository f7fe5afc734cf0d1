// SPDX-License-Identifier: MIT
#include "simcore/python/option_value.h"

#include <nanobind/stl/string.h>

#include <cstdint>
#include <type_traits>

#include "simcore/units/error.h"

namespace nb = nanobind;

namespace simcore::python {

OptionValue option_value(nb::handle from, const std::string& place) {
  if (from.is_none()) return {};
  if (nb::isinstance<nb::bool_>(from)) return nb::cast<bool>(from);
  if (nb::isinstance<nb::int_>(from)) {
    std::int64_t number = 0;
    if (nb::try_cast(from, number)) return number;
    throw ConfigError(place + ": " + nb::cast<std::string>(nb::repr(from)) +
                      " is a number of more than 64 bits");
  }
  if (nb::isinstance<nb::float_>(from)) return nb::cast<double>(from);
  if (nb::isinstance<nb::str>(from)) return nb::cast<std::string>(from);
  if (nb::isinstance<nb::dict>(from)) {
    OptionValue::Dict all;
    for (const auto& [key, value] : nb::cast<nb::dict>(from)) {
      if (!nb::isinstance<nb::str>(key))
        throw ConfigError(place + ": " + nb::cast<std::string>(nb::repr(key)) +
                          " is not the name of an option");
      all.emplace_back(nb::cast<std::string>(key), option_value(value, place));
    }
    return all;
  }
  if (nb::isinstance<nb::list>(from) || nb::isinstance<nb::tuple>(from)) {
    OptionValue::List all;
    for (const nb::handle each : from) all.push_back(option_value(each, place));
    return all;
  }
  throw ConfigError(place + ": " + nb::cast<std::string>(nb::repr(from)) + " is not the value of an option");
}

nb::object object_of(const OptionValue& from) {
  return std::visit(
      [](const auto& value) -> nb::object {
        using T = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return nb::none();
        } else if constexpr (std::is_same_v<T, OptionValue::List>) {
          nb::list all;
          for (const OptionValue& each : value) all.append(object_of(each));
          return all;
        } else if constexpr (std::is_same_v<T, OptionValue::Dict>) {
          nb::dict all;
          for (const auto& [key, each] : value) all[nb::str(key.c_str())] = object_of(each);
          return all;
        } else {
          return nb::cast(value);
        }
      },
      from.is);
}

}  // namespace simcore::python
