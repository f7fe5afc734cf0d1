// SPDX-License-Identifier: MIT
//
// option_tables(): the tables of options as plain dictionaries, from which hybridnet/options makes everything else; and the
// checks of values that only a library or a model can judge.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "simcore/link/background.h"
#include "simcore/network/fluid_model.h"
#include "simcore/network/option_tables.h"
#include "simcore/options/option_table.h"
#include "simcore/python/bindings.h"
#include "simcore/python/option_value.h"
#include "simcore/sys/capture_filter.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace simcore::python {

namespace {

// Whole numbers as such: they are bounds of what is counted.
nb::object bound(const std::optional<double>& value) {
  if (!value) return nb::none();
  if (*value == std::floor(*value)) return nb::cast(static_cast<std::int64_t>(*value));
  return nb::cast(*value);
}

nb::dict dict_of(const OptionFacts& facts) {
  nb::dict result;
  result["name"] = facts.name;
  result["key"] = facts.key;
  result["mininet"] = facts.mininet;
  result["help"] = facts.help;
  result["unit"] = facts.unit;
  result["kind"] = name_of(facts.kind);
  result["item"] = facts.kind == OptionKind::list ? nb::cast(name_of(facts.item)) : nb::none();
  result["least"] = bound(facts.least);
  result["most"] = bound(facts.most);
  result["above"] = facts.above;
  result["below"] = facts.below;
  result["multiple"] = bound(facts.multiple);
  result["power_of_two"] = facts.power_of_two;
  result["pattern"] = facts.pattern;
  result["least_items"] = facts.least_items;
  result["required"] = facts.required;
  result["nullable"] = facts.nullable;
  result["spread"] = facts.spread;
  result["plan_only"] = facts.plan_only;
  result["said_only"] = facts.said_only;
  result["choices"] = nb::cast(facts.choices);
  result["default"] = object_of(facts.otherwise);
  result["table"] = facts.table != nullptr ? nb::cast(facts.table->name) : nb::none();
  result["family"] = facts.family != nullptr ? nb::cast(facts.family->name) : nb::none();
  return result;
}

// Adds a table, or a family, and those that they refer to.
void add(nb::dict& tables, nb::dict& families, const TableFacts& table);

void add(nb::dict& tables, nb::dict& families, const FamilyFacts& family) {
  if (families.contains(family.name.c_str())) return;
  nb::dict result;
  nb::list alternatives;
  for (const TableFacts* const each : family.alternatives) alternatives.append(each->name);
  result["tag"] = family.tag;
  result["alternatives"] = alternatives;
  families[family.name.c_str()] = result;
  for (const TableFacts* const each : family.alternatives) add(tables, families, *each);
}

void add(nb::dict& tables, nb::dict& families, const TableFacts& table) {
  if (tables.contains(table.name.c_str())) return;
  nb::dict result;
  nb::list options;
  nb::dict presets;
  nb::dict retired;
  for (const OptionFacts& each : table.options) options.append(dict_of(each));
  for (const auto& [name, values] : table.presets) presets[name.c_str()] = object_of(values);
  result["help"] = table.help;
  result["options"] = options;
  for (const auto& [key, instead] : table.retired) retired[key.c_str()] = instead;
  result["presets"] = presets;
  result["retired"] = retired;
  tables[table.name.c_str()] = result;
  for (const OptionFacts& each : table.options) {
    if (each.table != nullptr) add(tables, families, *each.table);
    if (each.family != nullptr) add(tables, families, *each.family);
  }
}

nb::dict option_tables_dict() {
  nb::dict tables;
  nb::dict families;
  for (const TableFacts* const table : option_tables()) add(tables, families, *table);
  for (const FamilyFacts* const family : option_families()) add(tables, families, *family);
  nb::dict result;
  result["tables"] = tables;
  result["families"] = families;
  return result;
}

}  // namespace

void bind_options(nb::module_& m) {
  m.def("option_tables", option_tables_dict,
        "Every option there is, by table and by family of models; see simcore/options/option_facts.h.");
  m.def(
      "check_capture_filter", [](const std::string& expression) { const CaptureFilter compiled(expression); },
      "expression"_a, "Raises PlanError where libpcap does not understand it; see pcap-filter(7).");
  const auto check = [&m](const char* name, const auto& models) {
    m.def(
        name, [&models](const nb::dict& model) { models.read(option_value(model, "a model"), "a model"); },
        "model"_a, "Raises PlanError where its options together make no sense.");
  };
  check("check_background", background_models());
  check("check_fluid", fluid_models());
}

}  // namespace simcore::python
