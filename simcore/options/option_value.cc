// SPDX-License-Identifier: MIT
#include "simcore/options/option_value.h"

#include <array>
#include <charconv>
#include <type_traits>

namespace simcore {

namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += letter;
  }
  return result + "\"";
}

std::string number(double value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

}  // namespace

const OptionValue* OptionValue::find(std::string_view key) const {
  const Dict* const entries = dict();
  if (entries == nullptr) return nullptr;
  for (const auto& [name, value] : *entries) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::string OptionValue::text() const {
  return std::visit(
      [](const auto& value) -> std::string {
        using T = std::remove_cvref_t<decltype(value)>;
        std::string all;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return "null";
        } else if constexpr (std::is_same_v<T, bool>) {
          return value ? "true" : "false";
        } else if constexpr (std::is_same_v<T, std::int64_t>) {
          return std::to_string(value);
        } else if constexpr (std::is_same_v<T, double>) {
          return number(value);
        } else if constexpr (std::is_same_v<T, std::string>) {
          return quoted(value);
        } else if constexpr (std::is_same_v<T, List>) {
          for (const OptionValue& each : value) all += (all.empty() ? "" : ", ") + each.text();
          return "[" + all + "]";
        } else {
          for (const auto& [name, each] : value)
            all += (all.empty() ? "" : ", ") + quoted(name) + ": " + each.text();
          return "{" + all + "}";
        }
      },
      is);
}

}  // namespace simcore
