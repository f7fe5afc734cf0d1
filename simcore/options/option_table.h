// SPDX-License-Identifier: MIT
//
// OptionTable: the one declaration of the options of a struct. It stands beside the struct:
//
//   const OptionTable<Codel::Config>& Codel::options() {
//     static const OptionTable<Config> table("codel", "controlled delay (RFC 8289)",
//                                            {{"target", &Config::target, {.help = "what may stand", .least = 1}}, …});
//     return table;
//   }
//
// From the member follow the kind, the unit and the default, which is what a new struct has. All that reads options
// goes through such a table, and so knows and refuses the same; nobody who moves packets sees one.
#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "simcore/options/option_facts.h"
#include "simcore/options/option_family.h"
#include "simcore/options/option_type.h"
#include "simcore/units/error.h"

namespace simcore {

// What the declaration of an option says besides its name and its member.
struct OptionNote {
  std::string help;
  std::string unit =
      {};  // of a count: "segments"; "bytes" makes a size of it; of a number "%" makes a share of it
  std::string key = {};      // in plans; without one the name, with _ns, _bps or _bytes behind it
  std::string mininet = {};  // the name in a description of a network, where Mininet has another one
  std::optional<double> least = {};
  std::optional<double> most = {};
  bool above = false;
  bool below = false;
  std::optional<double> multiple = {};
  bool power_of_two = false;
  std::string pattern = {};
  std::size_t least_items = 0;
  bool required = false;
  bool nullable = false;
  bool spread = false;
  bool plan_only = false;
};

template <class Enum>
using Choices = std::initializer_list<std::pair<const char*, Enum>>;

template <class T>
class OptionTable;

template <class T>
struct Option : OptionFacts {
  using Set = std::function<void(T&, const OptionValue&, const OptionFacts&, const std::string& place)>;
  using Get = std::function<OptionValue(const T&)>;

  // A member that OptionType knows.
  template <class Member>
  Option(const std::string& called, Member T::*member, OptionNote note)
      : Option(
            called, [member](const T& of) { return of.*member; },
            [member](T& of, Member value) { of.*member = std::move(value); }, std::move(note)) {}

  // What two functions read and write: get(of), set(of, value).
  template <class Getter, class Setter>
  requires std::invocable<Getter, const T&> Option(const std::string& called, Getter getter, Setter setter,
                                                   OptionNote note) {
    using Type = OptionType<std::remove_cvref_t<std::invoke_result_t<Getter, const T&>>>;
    kind = Type::kKind;
    if constexpr (requires { Type::kItem; }) item = Type::kItem;
    if constexpr (requires { Type::kLeast; }) least = Type::kLeast;
    if constexpr (requires { Type::kNullable; }) nullable = true;
    take(called, std::move(note), Type::kSuffix);
    get = [getter](const T& of) { return Type::write(getter(of)); };
    set = [setter](T& of, const OptionValue& value, const OptionFacts& facts, const std::string& place) {
      setter(of, Type::read(value, facts, place));
    };
  }

  // A member whose values have names.
  template <class Enum>
  Option(const std::string& called, Enum T::*member, Choices<Enum> choices_given, OptionNote note) {
    kind = OptionKind::choice;
    take(called, std::move(note), "");
    std::vector<std::pair<std::string, Enum>> values(choices_given.begin(), choices_given.end());
    for (const auto& [each, value] : values) choices.push_back(each);
    get = [member, values](const T& of) -> OptionValue {
      for (const auto& [each, value] : values) {
        if (value == of.*member) return each;
      }
      return {};
    };
    set = [member, values](T& of, const OptionValue& given, const OptionFacts& facts,
                           const std::string& place) {
      const std::string& text = text_in(given, facts, place);
      for (const auto& [each, value] : values) {
        if (each == text) {
          of.*member = value;
          return;
        }
      }
      throw ConfigError(place + ": " + facts.key + " " + given.text() + " is unknown; " +
                        cure(text, facts.choices));
    };
  }

  // A member, or what set(of, value) makes of it, with a table of its own; a list of such, where the member is one.
  template <class Nested, class Setter>
  Option(const std::string& called, const OptionTable<Nested>& nested, Setter setter, OptionNote note);

  // What set(of, value, given) makes of a model by its name.
  template <class Model, class Setter>
  Option(const std::string& called, const OptionFamily<Model>& models, Setter setter, OptionNote note) {
    kind = OptionKind::family;
    family = &models.facts();
    take(called, std::move(note), "");
    set = [&models, setter](T& of, const OptionValue& value, const OptionFacts& facts,
                            const std::string& place) {
      if (!value.is_null()) return setter(of, models.read(value, place + ": " + facts.key), value);
      if (!facts.nullable) refuse(value, facts, place);
    };
  }

  // What people write, and a plan says by other options.
  static Option said(const std::string& called, OptionKind of_kind, OptionNote note,
                     const std::vector<std::string>& names = {}) {
    Option option;
    option.kind = of_kind;
    option.choices = names;
    option.said_only = true;
    option.take(called, std::move(note), "");
    return option;
  }

  Set set = {};
  Get get = {};  // null: it cannot be said what it is

 private:
  template <class>
  friend struct Option;

  Option() = default;

  void take(const std::string& given, OptionNote note, const char* suffix) {
    name = given;
    if (note.unit == "bytes" && kind == OptionKind::count) kind = OptionKind::size;
    if (note.unit == "%") kind = OptionKind::share;
    if (kind == OptionKind::share) note.least = 0, note.most = 1;
    key = note.key.empty() ? name + suffix : std::move(note.key);
    mininet = std::move(note.mininet);
    help = std::move(note.help);
    unit = std::move(note.unit);
    if (note.least) least = note.least;
    most = note.most;
    above = note.above;
    below = note.below;
    multiple = note.multiple;
    power_of_two = note.power_of_two;
    pattern = std::move(note.pattern);
    least_items = note.least_items;
    required = note.required;
    nullable = nullable || note.nullable;
    spread = note.spread;
    plan_only = note.plan_only;
  }

 public:
  // The same option of a struct that has T as its member.
  template <class Whole>
  Option<Whole> within(T Whole::*part) const {
    Option<Whole> option;
    static_cast<OptionFacts&>(option) = *this;
    if (get) option.get = [get = get, part](const Whole& of) { return get(of.*part); };
    option.set = [set = set, part, inner = *this](Whole& of, const OptionValue& value, const OptionFacts&,
                                                  const std::string& place) {
      set(of.*part, value, inner, place);
    };
    return option;
  }
};

// The same options of a struct that has T as its member.
template <class Whole, class T>
std::vector<Option<Whole>> within(const std::vector<Option<T>>& options, T Whole::*part) {
  std::vector<Option<Whole>> all;
  all.reserve(options.size());
  for (const Option<T>& option : options) all.push_back(option.within(part));
  return all;
}

template <class T>
class OptionTable {
 public:
  using Presets = std::vector<std::pair<std::string, T>>;
  using Retired = std::vector<std::pair<std::string, std::string>>;

  // `blank` has the defaults; of what is required it may have anything. `retired`: keys that there were once, and what
  // to write instead.
  OptionTable(std::string name, std::string help, T blank, std::vector<Option<T>> options,
              Presets presets = {}, Retired retired = {})
      : blank_(std::move(blank)), options_(std::move(options)), presets_(std::move(presets)) {
    facts_.name = std::move(name);
    facts_.help = std::move(help);
    facts_.retired = std::move(retired);
    for (Option<T>& option : options_) {
      if (option.get && !option.required) option.otherwise = option.get(blank_);
      facts_.options.push_back(option);
    }
    for (const auto& [preset, values] : presets_) facts_.presets.emplace_back(preset, differences(values));
  }
  OptionTable(const OptionTable&) = delete;
  OptionTable& operator=(const OptionTable&) = delete;

  const TableFacts& facts() const { return facts_; }
  const std::vector<Option<T>>& options() const { return options_; }

  // These options, for the table of a struct that has T as its member.
  template <class Whole>
  std::vector<Option<Whole>> within(T Whole::*part) const {
    return simcore::within(options_, part);
  }

  // The defaults, or a preset that is named, and over them what is given. A preset may also stand alone, as text.
  // Throws ConfigError, which begins with `place`: an option is unknown or missing, or a value is of another type or
  // out of its range.
  T read(const OptionValue& given, const std::string& place, const std::string& tag = "") const {
    T result = begin(given, place);
    if (!presets_.empty() && std::holds_alternative<std::string>(given.is)) return result;
    for (const auto& [key, value] : dict_in(given, place)) {
      if (key == tag || (key == "preset" && !presets_.empty())) continue;
      const Option<T>& option = find(key, place);
      if (value.is_null() && !option.nullable) refuse(value, option, place);
      option.set(result, value, option, place);
    }
    for (const Option<T>& option : options_) {
      if (option.required && given.find(option.key) == nullptr)
        throw ConfigError(place + ": " + option.key + " is missing; it must be " + range_of(option));
    }
    return result;
  }

  // Throws ConfigError, which begins with `place`, when a value is out of its option's range.
  void check(const T& values, const std::string& place) const {
    T copy = values;
    for (const Option<T>& option : options_) {
      if (option.get && !option.said_only) option.set(copy, option.get(values), option, place);
    }
  }

  // Throws ConfigError: there is no such preset.
  const T& preset(const std::string& name, const std::string& place) const {
    std::vector<std::string> known;
    for (const auto& [each, values] : presets_) {
      if (each == name) return values;
      known.push_back(each);
    }
    throw ConfigError(place + ": preset \"" + name + "\" is unknown; " + cure(name, known));
  }

 private:
  T begin(const OptionValue& given, const std::string& place) const {
    if (presets_.empty()) return blank_;
    if (const auto* const alone = std::get_if<std::string>(&given.is)) return preset(*alone, place);
    const OptionValue* const named = given.find("preset");
    if (named == nullptr) return blank_;
    const auto* const text = std::get_if<std::string>(&named->is);
    return preset(text != nullptr ? *text : named->text(), place);
  }

  const Option<T>& find(const std::string& key, const std::string& place) const {
    std::vector<std::string> known;
    for (const Option<T>& option : options_) {
      if (option.said_only) continue;
      if (option.key == key) return option;
      known.push_back(option.key);
    }
    const auto old = std::ranges::find(facts_.retired, key, &Retired::value_type::first);
    if (old != facts_.retired.end())
      throw ConfigError(place + ": there is no option " + key + " any more; " + old->second);
    throw ConfigError(place + ": there is no option " + key + "; " + cure(key, known));
  }

  OptionValue::Dict differences(const T& values) const {
    OptionValue::Dict all;
    for (const Option<T>& option : options_) {
      if (!option.get) continue;
      if (OptionValue value = option.get(values); value != option.otherwise)
        all.emplace_back(option.key, std::move(value));
    }
    return all;
  }

  T blank_;
  std::vector<Option<T>> options_;
  Presets presets_;
  TableFacts facts_;
};

template <class T>
template <class Nested, class Setter>
Option<T>::Option(const std::string& called, const OptionTable<Nested>& nested, Setter setter,
                  OptionNote note) {
  constexpr bool kList =
      std::invocable<Setter, T&, std::vector<Nested>> && !std::invocable<Setter, T&, Nested>;
  kind = kList ? OptionKind::list : OptionKind::table;
  item = OptionKind::table;
  table = &nested.facts();
  take(called, note, "");
  set = [&nested, setter](T& of, const OptionValue& value, const OptionFacts& facts,
                          const std::string& place) {
    const std::string within = place + ": " + facts.key;
    if constexpr (kList) {
      std::vector<Nested> all;
      for (const OptionValue& each : list_in(value, facts, place)) all.push_back(nested.read(each, within));
      setter(of, std::move(all));
    } else {
      if (!value.is_null()) return setter(of, nested.read(value, within));
      if (!facts.nullable) refuse(value, facts, place);
    }
  };
}

// The options of several parts as one list.
template <class T>
std::vector<Option<T>> joined(std::initializer_list<std::vector<Option<T>>> parts) {
  std::vector<Option<T>> all;
  for (const std::vector<Option<T>>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace simcore
