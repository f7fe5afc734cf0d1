// SPDX-License-Identifier: MIT
//
// OptionFamily: models of one thing, each by its name and with a table of its own: {"model": "codel", "target_ns": …}.
//
//   const OptionFamily<QueueModel>& queue_models() {
//     static const OptionFamily<QueueModel> family("queue", "model", {model<QueueModel>(Codel::options()), …});
//     return family;
//   }
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "simcore/options/option_facts.h"
#include "simcore/units/error.h"

namespace simcore {

template <class T>
class OptionTable;

template <class Model>
class OptionFamily {
 public:
  struct Alternative {
    const TableFacts* facts;
    std::function<Model(const OptionValue&, const std::string& place, const std::string& tag)> read;
  };

  // `tag`: the key whose value is the name of an alternative.
  OptionFamily(std::string name, std::string tag, std::vector<Alternative> alternatives)
      : alternatives_(std::move(alternatives)) {
    facts_.name = std::move(name);
    facts_.tag = std::move(tag);
    for (const Alternative& each : alternatives_) facts_.alternatives.push_back(each.facts);
  }
  OptionFamily(const OptionFamily&) = delete;
  OptionFamily& operator=(const OptionFamily&) = delete;

  const FamilyFacts& facts() const { return facts_; }

  // Throws ConfigError, which begins with `place`: it names no alternative, or as OptionTable::read.
  Model read(const OptionValue& given, const std::string& place) const {
    dict_in(given, place);
    std::vector<std::string> known;
    for (const Alternative& each : alternatives_) known.push_back(each.facts->name);
    const OptionValue* const tag = given.find(facts_.tag);
    const auto* const name = tag == nullptr ? nullptr : std::get_if<std::string>(&tag->is);
    if (name == nullptr) throw ConfigError(place + ": " + facts_.tag + " is missing; " + cure("", known));
    for (const Alternative& each : alternatives_) {
      if (each.facts->name == *name) return each.read(given, place + " (" + *name + ")", facts_.tag);
    }
    throw ConfigError(place + ": " + facts_.tag + " \"" + *name + "\" is unknown; " + cure(*name, known));
  }

 private:
  std::vector<Alternative> alternatives_;
  FamilyFacts facts_;
};

// The alternative that make(values) makes of what its table reads; without it, the values themselves.
template <class Model, class Values, class Make = std::identity>
typename OptionFamily<Model>::Alternative model(const OptionTable<Values>& table, Make make = {}) {
  return {&table.facts(),
          [&table, make](const OptionValue& given, const std::string& place,
                         const std::string& tag) -> Model { return make(table.read(given, place, tag)); }};
}

}  // namespace simcore
