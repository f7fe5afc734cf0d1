// SPDX-License-Identifier: MIT
#include "simcore/options/option_facts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr std::array kNames = {"flag", "count",  "number", "share", "duration", "rate",  "size",
                               "text", "choice", "list",   "map",   "table",    "family"};

std::string whole(double value) {
  return std::abs(value) < 9e15 && value == std::floor(value)
             ? std::to_string(static_cast<std::int64_t>(value))
             : OptionValue(value).text();
}

std::string listed(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

std::string bounds(const OptionFacts& facts) {
  const auto& [least, most] = std::pair(facts.least, facts.most);
  if (least && most && !facts.above && !facts.below && !facts.multiple && !facts.power_of_two)
    return " from " + whole(*least) + " to " + whole(*most);
  std::string text;
  if (facts.power_of_two) text += ", a power of two";
  if (facts.multiple) text += ", a multiple of " + whole(*facts.multiple);
  if (least) text += (facts.above ? ", above " : ", at least ") + whole(*least);
  if (most) text += (facts.below ? ", below " : ", at most ") + whole(*most);
  return text;
}

std::string range_of_kind(OptionKind kind, const OptionFacts& facts) {
  switch (kind) {
    case OptionKind::flag:
      return "true or false";
    case OptionKind::count:
      return "a whole number" + (facts.unit.empty() ? "" : " of " + facts.unit) + bounds(facts);
    case OptionKind::number:
    case OptionKind::share:
      return "a number" + bounds(facts);
    case OptionKind::duration:
      return "a whole number of nanoseconds" + bounds(facts);
    case OptionKind::rate:
      return "a whole number of bits per second" + bounds(facts);
    case OptionKind::size:
      return "a whole number of bytes" + bounds(facts);
    case OptionKind::text:
      return "text";
    case OptionKind::choice:
      return "one of " + listed(facts.choices);
    case OptionKind::map:
      return "a dictionary of texts";
    case OptionKind::table:
      return "a dictionary of options";
    case OptionKind::family:
      return "a dictionary with " + facts.family->tag;
    case OptionKind::list:
      break;
  }
  return "a list";
}

bool within(double value, const OptionFacts& facts) {
  if (facts.power_of_two && !std::has_single_bit(static_cast<std::uint64_t>(value))) return false;
  if (facts.multiple && std::fmod(value, *facts.multiple) != 0) return false;
  if (facts.least && (facts.above ? value <= *facts.least : value < *facts.least)) return false;
  return !facts.most || (facts.below ? value < *facts.most : value <= *facts.most);
}

// Edits of one letter, two neighbours that changed places included, between two words (Damerau 1964).
std::size_t distance(const std::string& from, const std::string& to) {
  std::vector<std::size_t> before(to.size() + 1);
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  std::vector<std::size_t> next(to.size() + 1);
  for (std::size_t i = 1; i <= from.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before.swap(row);
    row.swap(next);
  }
  return row.back();
}

}  // namespace

const char* name_of(OptionKind kind) { return kNames.at(static_cast<std::size_t>(kind)); }

std::string range_of(const OptionFacts& facts) {
  std::string text;
  if (facts.kind == OptionKind::list) {
    text = "a list of " + std::to_string(facts.least_items) + " or more, each ";
    text += range_of_kind(facts.table != nullptr ? OptionKind::table : facts.item, facts);
  } else {
    text = range_of_kind(facts.kind, facts);
  }
  return facts.nullable ? text + ", or null" : text;
}

std::string nearest(const std::string& given, const std::vector<std::string>& known) {
  const std::size_t most = std::max<std::size_t>(1, given.size() / 3);
  std::string best;
  std::size_t least = most + 1;
  for (const std::string& name : known) {
    if (name.starts_with(given + "_")) return name;  // of a key without its unit
    const std::size_t edits = distance(given, name);
    if (edits < least) {
      least = edits;
      best = name;
    }
  }
  return best;
}

std::string cure(const std::string& given, const std::vector<std::string>& known) {
  const std::string near = nearest(given, known);
  if (!near.empty()) return "did you mean " + near + "?";
  return known.empty() ? "there is none" : "there are " + listed(known);
}

void refuse(const OptionValue& value, const OptionFacts& facts, const std::string& place) {
  throw ConfigError(place + ": " + facts.key + " is " + value.text() + "; it must be " + range_of(facts));
}

bool flag_in(const OptionValue& value, const OptionFacts& facts, const std::string& place) {
  if (const auto* const flag = std::get_if<bool>(&value.is)) return *flag;
  refuse(value, facts, place);
}

std::int64_t whole_in(const OptionValue& value, const OptionFacts& facts, const std::string& place) {
  const auto* const number = std::get_if<std::int64_t>(&value.is);
  if (number == nullptr || !within(static_cast<double>(*number), facts)) refuse(value, facts, place);
  return *number;
}

double number_in(const OptionValue& value, const OptionFacts& facts, const std::string& place) {
  const auto* const whole_number = std::get_if<std::int64_t>(&value.is);
  const auto* const real = std::get_if<double>(&value.is);
  if (whole_number == nullptr && real == nullptr) refuse(value, facts, place);
  const double number = real != nullptr ? *real : static_cast<double>(*whole_number);
  if (!std::isfinite(number) || !within(number, facts)) refuse(value, facts, place);
  return number;
}

const std::string& text_in(const OptionValue& value, const OptionFacts& facts, const std::string& place) {
  if (const auto* const text = std::get_if<std::string>(&value.is)) return *text;
  refuse(value, facts, place);
}

const OptionValue::List& list_in(const OptionValue& value, const OptionFacts& facts,
                                 const std::string& place) {
  const auto* const list = std::get_if<OptionValue::List>(&value.is);
  if (list == nullptr || list->size() < facts.least_items) refuse(value, facts, place);
  return *list;
}

const OptionValue::Dict& dict_in(const OptionValue& value, const std::string& place) {
  if (const OptionValue::Dict* const dict = value.dict()) return *dict;
  throw ConfigError(place + " is " + value.text() + "; it must be a dictionary of options");
}

}  // namespace simcore
