// SPDX-License-Identifier: MIT
#include "simcore/application/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace simcore {

namespace {

// One reading of a text, left to right. Every member returns false or none where the text is no JSON.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::optional<Json> all() {
    auto value = read(0);
    skip_space();
    if (!rest_.empty()) return std::nullopt;
    return value;
  }

 private:
  void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }
  bool take(std::string_view literal) {
    if (!rest_.starts_with(literal)) return false;
    rest_.remove_prefix(literal.size());
    return true;
  }

  std::optional<Json> read(int depth) {
    skip_space();
    if (rest_.empty() || depth > Json::kDeepest) return std::nullopt;
    switch (rest_.front()) {
      case '{':
        return read_object(depth);
      case '[':
        return read_array(depth);
      case '"': {
        auto text = read_string();
        return text ? std::optional(Json(std::move(*text))) : std::nullopt;
      }
      case 't':
        return take("true") ? std::optional(Json(true)) : std::nullopt;
      case 'f':
        return take("false") ? std::optional(Json(false)) : std::nullopt;
      case 'n':
        return take("null") ? std::optional(Json()) : std::nullopt;
      default:
        return read_number();
    }
  }

  std::optional<Json> read_object(int depth) {
    take("{");
    Json::Object members;
    skip_space();
    if (take("}")) return Json(std::move(members));
    do {
      skip_space();
      auto name = read_string();
      skip_space();
      if (!name || !take(":")) return std::nullopt;
      auto value = read(depth + 1);
      const bool known = std::ranges::any_of(members, [&](const auto& each) { return each.first == *name; });
      if (!value || known) return std::nullopt;
      members.emplace_back(std::move(*name), std::move(*value));
      skip_space();
    } while (take(","));
    if (!take("}")) return std::nullopt;
    return Json(std::move(members));
  }

  std::optional<Json> read_array(int depth) {
    take("[");
    Json::Array items;
    skip_space();
    if (take("]")) return Json(std::move(items));
    do {
      auto value = read(depth + 1);
      if (!value) return std::nullopt;
      items.push_back(std::move(*value));
      skip_space();
    } while (take(","));
    if (!take("]")) return std::nullopt;
    return Json(std::move(items));
  }

  std::optional<std::string> read_string() {
    if (!take("\"")) return std::nullopt;
    std::string text;
    while (!rest_.empty()) {
      const char next = rest_.front();
      rest_.remove_prefix(1);
      if (next == '"') return text;
      if (static_cast<unsigned char>(next) < 0x20) return std::nullopt;
      if (next != '\\') {
        text.push_back(next);
      } else if (!read_escape(text)) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  bool read_escape(std::string& text) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (rest_.empty()) return false;
    const auto place = kLetters.find(rest_.front());
    if (place != std::string_view::npos) {
      text.push_back(kMeanings[place]);
      rest_.remove_prefix(1);
      return true;
    }
    auto code = read_unit();
    if (!code) return false;
    if (*code >= 0xd800 && *code < 0xdc00) {  // the first half of a pair: the second must follow
      const auto low = read_unit_after_backslash();
      if (!low || *low < 0xdc00 || *low >= 0xe000) return false;
      code = 0x10000 + ((*code - 0xd800) << 10) + (*low - 0xdc00);
    } else if (*code >= 0xdc00 && *code < 0xe000) {
      return false;
    }
    append_utf8(text, *code);
    return true;
  }

  std::optional<std::uint32_t> read_unit_after_backslash() { return take("\\") ? read_unit() : std::nullopt; }

  // uXXXX
  std::optional<std::uint32_t> read_unit() {
    if (!take("u") || rest_.size() < 4) return std::nullopt;
    std::uint32_t code = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + 4, code, 16);
    if (error != std::errc() || end != rest_.data() + 4) return std::nullopt;
    rest_.remove_prefix(4);
    return code;
  }

  static void append_utf8(std::string& text, std::uint32_t code) {
    const auto tail = [&](int shift) { text.push_back(static_cast<char>(0x80 | (code >> shift & 0x3f))); };
    if (code < 0x80) {
      text.push_back(static_cast<char>(code));
    } else if (code < 0x800) {
      text.push_back(static_cast<char>(0xc0 | code >> 6));
      tail(0);
    } else if (code < 0x10000) {
      text.push_back(static_cast<char>(0xe0 | code >> 12));
      tail(6);
      tail(0);
    } else {
      text.push_back(static_cast<char>(0xf0 | code >> 18));
      tail(12);
      tail(6);
      tail(0);
    }
  }

  std::size_t count_digits(std::size_t from) const {
    std::size_t end = from;
    while (end < rest_.size() && rest_[end] >= '0' && rest_[end] <= '9') ++end;
    return end - from;
  }

  // -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?
  std::optional<Json> read_number() {
    std::size_t end = rest_.front() == '-' ? 1 : 0;
    const std::size_t digits = count_digits(end);
    if (digits == 0 || (digits > 1 && rest_[end] == '0')) return std::nullopt;
    end += digits;
    bool whole = true;
    if (end < rest_.size() && rest_[end] == '.') {
      const std::size_t fraction = count_digits(end + 1);
      if (fraction == 0) return std::nullopt;
      end += 1 + fraction;
      whole = false;
    }
    if (end < rest_.size() && (rest_[end] == 'e' || rest_[end] == 'E')) {
      ++end;
      if (end < rest_.size() && (rest_[end] == '+' || rest_[end] == '-')) ++end;
      const std::size_t exponent = count_digits(end);
      if (exponent == 0) return std::nullopt;
      end += exponent;
      whole = false;
    }
    const char* const first = rest_.data();
    rest_.remove_prefix(end);
    std::int64_t exact = 0;
    if (whole && std::from_chars(first, first + end, exact).ec == std::errc()) return Json(exact);
    double value = 0;
    if (std::from_chars(first, first + end, value).ec != std::errc()) return std::nullopt;
    return Json(value);
  }

  std::string_view rest_;
};

void write_string(std::string& out, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out.push_back('"');
  for (const char each : text) {
    const auto code = static_cast<unsigned char>(each);
    if (each == '"' || each == '\\') {
      out.push_back('\\');
      out.push_back(each);
    } else if (code < 0x20) {
      out.append("\\u00");
      out.push_back(kDigits[code >> 4]);
      out.push_back(kDigits[code & 0xf]);
    } else {
      out.push_back(each);
    }
  }
  out.push_back('"');
}

// The shortest text that reads back as the same value, and as a number with a fraction.
template <class Number>
void write_number(std::string& out, Number value) {
  std::array<char, 32> text;
  const char* const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  const std::string_view written(text.data(), static_cast<std::size_t>(end - text.data()));
  out.append(written);
  if constexpr (std::is_floating_point_v<Number>) {
    if (written.find_first_of(".e") == std::string_view::npos) out.append(".0");
  }
}

}  // namespace

std::optional<Json> Json::parse(std::string_view text) { return Reader(text).all(); }

std::string Json::to_string() const {
  std::string out;
  write(out);
  return out;
}

void Json::write(std::string& out) const {
  if (std::holds_alternative<std::nullptr_t>(value_)) {
    out.append("null");
  } else if (const auto* truth = std::get_if<bool>(&value_)) {
    out.append(*truth ? "true" : "false");
  } else if (const auto* whole = std::get_if<std::int64_t>(&value_)) {
    write_number(out, *whole);
  } else if (const auto* real = std::get_if<double>(&value_)) {
    write_number(out, *real);
  } else if (const auto* text = std::get_if<std::string>(&value_)) {
    write_string(out, *text);
  } else if (const auto* items = std::get_if<Array>(&value_)) {
    char separator = '[';
    for (const Json& item : *items) {
      out.push_back(separator);
      item.write(out);
      separator = ',';
    }
    out.append(items->empty() ? "[]" : "]");
  } else if (const auto* members = std::get_if<Object>(&value_)) {
    char separator = '{';
    for (const auto& [name, value] : *members) {
      out.push_back(separator);
      write_string(out, name);
      out.push_back(':');
      value.write(out);
      separator = ',';
    }
    out.append(members->empty() ? "{}" : "}");
  }
}

const Json* Json::find(std::string_view name) const {
  const auto* members = std::get_if<Object>(&value_);
  if (members == nullptr) return nullptr;
  const auto place =
      std::ranges::find(*members, name, [](const auto& each) -> std::string_view { return each.first; });
  return place == members->end() ? nullptr : &place->second;
}

std::optional<bool> Json::boolean() const {
  const auto* value = std::get_if<bool>(&value_);
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

std::optional<std::int64_t> Json::integer() const {
  const auto* value = std::get_if<std::int64_t>(&value_);
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

std::optional<double> Json::number() const {
  if (const auto* value = std::get_if<double>(&value_)) return *value;
  if (const auto* value = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*value);
  return std::nullopt;
}

}  // namespace simcore
