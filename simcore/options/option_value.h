// SPDX-License-Identifier: MIT
//
// OptionValue: what an option is given as: what JSON can say, whoever reads it.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace simcore {

struct OptionValue {
  using List = std::vector<OptionValue>;
  using Dict = std::vector<std::pair<std::string, OptionValue>>;  // in the order in which it was written

  OptionValue() = default;
  // Implicit: every alternative is a value.
  template <class T>
  // NOLINTNEXTLINE(google-explicit-constructor)
  requires(!std::same_as<std::remove_cvref_t<T>, OptionValue>) OptionValue(T given) : is(std::move(given)) {}

  bool is_null() const { return std::holds_alternative<std::monostate>(is); }
  const Dict* dict() const { return std::get_if<Dict>(&is); }
  // Of a dictionary, the value of a key; null when it has none, or this is not a dictionary.
  const OptionValue* find(std::string_view key) const;
  // As JSON writes it, on one line.
  std::string text() const;

  bool operator==(const OptionValue&) const = default;

  std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Dict> is;
};

}  // namespace simcore
