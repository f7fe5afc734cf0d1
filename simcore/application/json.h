// SPDX-License-Identifier: MIT
//
// Json: a value of RFC 8259, read strictly and written compactly; for control connections, whose messages are small.
//
// Strict: one value and white space, nothing else; no duplicate names, no control character in a string, no number
// that a double cannot hold, valid UTF-8 escapes only. Depth and length are bounded by the reader. Integers that fit
// into 63 bits and a sign stay exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace simcore {

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;  // in the order of the text

  static constexpr int kDeepest = 32;  // arrays and objects within each other

  Json() = default;  // null
  // NOLINTBEGIN(google-explicit-constructor): what a value holds is a value
  Json(bool value) : value_(value) {}
  Json(std::int64_t value) : value_(value) {}
  Json(double value) : value_(value) {}  // precondition: finite
  Json(std::string value) : value_(std::move(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}
  // NOLINTEND(google-explicit-constructor)

  // None when `text` is not exactly one value.
  static std::optional<Json> parse(std::string_view text);
  std::string to_string() const;

  bool operator==(const Json&) const = default;

  // The member of that name of an object; null when this is not an object or has none.
  const Json* find(std::string_view name) const;
  const Array* array() const { return std::get_if<Array>(&value_); }

  // The value as a type; none when it is of another. A number with a fraction is no integer.
  std::optional<bool> boolean() const;
  std::optional<std::int64_t> integer() const;
  std::optional<double> number() const;

 private:
  void write(std::string& out) const;

  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Array, Object> value_ = nullptr;
};

}  // namespace simcore
