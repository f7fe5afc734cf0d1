// SPDX-License-Identifier: MIT
//
// OptionFacts: all that is known of an option besides the member that it fills, for whoever converts, checks or
// explains it: Python's descriptions, schemas of plans, flags of a command line, documents.
//
// An option has a `name`, which people write, with units ("5ms"), and a `key`, which plans write, in whole numbers of
// the unit that stands behind it ("target_ns").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simcore/options/option_value.h"

namespace simcore {

enum class OptionKind : std::uint8_t {
  flag,
  count,     // a whole number
  number,    // any
  share,     // a probability in plans, a percentage for people
  duration,  // ns
  rate,      // bit/s
  size,      // bytes
  text,
  choice,  // one of names
  list,    // of `item`
  map,     // text to text
  table,   // options of its own
  family,  // a model by its name, with options of its own
};
const char* name_of(OptionKind kind);

struct TableFacts;
struct FamilyFacts;

struct OptionFacts {
  std::string name;
  std::string key;
  std::string mininet;  // the name in a description of a network, where Mininet has another one; else empty
  std::string help;
  std::string unit;  // of what a count counts; may be empty
  OptionKind kind = OptionKind::flag;
  OptionKind item = OptionKind::flag;  // of a list
  std::optional<double> least = {};    // of numbers, also of those in a list
  std::optional<double> most = {};
  bool above = false;                   // `least` itself is too little
  bool below = false;                   // `most` itself is too much
  std::optional<double> multiple = {};  // of a number: of so many
  bool power_of_two = false;
  std::string pattern = {};  // of a text: a regular expression
  std::size_t least_items = 0;
  bool required = false;
  bool nullable = false;
  bool spread = false;     // of a table or family: its options are written beside the others, not within it
  bool plan_only = false;  // people do not write it
  bool said_only = false;  // people write it, and a plan has other options for it
  std::vector<std::string> choices = {};
  OptionValue otherwise = {};  // the default as in a plan; null: there is none
  const TableFacts* table = nullptr;
  const FamilyFacts* family = nullptr;
};

struct TableFacts {
  std::string name;
  std::string help;
  std::vector<OptionFacts> options;
  std::vector<std::pair<std::string, OptionValue::Dict>>
      presets;  // what each says otherwise than the defaults
  std::vector<std::pair<std::string, std::string>>
      retired;  // keys that there were once, and what to write instead
};

struct FamilyFacts {
  std::string name;
  std::string tag;  // the key whose value names the alternative
  std::vector<const TableFacts*> alternatives;
};

// What the option accepts, as "a whole number of bytes, at least 64".
std::string range_of(const OptionFacts& facts);

// The name among `known` that is nearest to `given`; empty when none is near.
std::string nearest(const std::string& given, const std::vector<std::string>& known);

// How errors about options end: "did you mean ...?", or all that there is.
std::string cure(const std::string& given, const std::vector<std::string>& known);

// The value as a number, flag or text. Throw ConfigError, which begins with `place`, when it is of another type or out
// of the option's range.
bool flag_in(const OptionValue& value, const OptionFacts& facts, const std::string& place);
std::int64_t whole_in(const OptionValue& value, const OptionFacts& facts, const std::string& place);
double number_in(const OptionValue& value, const OptionFacts& facts, const std::string& place);
const std::string& text_in(const OptionValue& value, const OptionFacts& facts, const std::string& place);
const OptionValue::List& list_in(const OptionValue& value, const OptionFacts& facts,
                                 const std::string& place);
const OptionValue::Dict& dict_in(const OptionValue& value, const std::string& place);
[[noreturn]] void refuse(const OptionValue& value, const OptionFacts& facts, const std::string& place);

}  // namespace simcore
