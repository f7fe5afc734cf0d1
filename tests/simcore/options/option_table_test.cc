// SPDX-License-Identifier: MIT
#include "simcore/options/option_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace simcore {
namespace {

enum class Colour : std::uint8_t { red, green };

struct Slot {
  Duration length = Duration::ms(1);
};

struct Lamp {
  std::uint16_t bulbs = 3;
  Duration warm_up = Duration::ms(5);
  std::optional<DataRate> rate = {};
  ByteCount room = ByteCount::bytes(100);
  Colour colour = Colour::green;
  double loss = 0;
  bool lit = true;
  std::vector<Slot> slots = {};
};

const OptionTable<Slot>& slot_options() {
  static const OptionTable<Slot> table("slot", "a slot", Slot{},
                                       {{"length", &Slot::length, {.help = "how long", .required = true}}});
  return table;
}

const OptionTable<Lamp>& lamp_options() {
  static const OptionTable<Lamp> table(
      "lamp", "a lamp", Lamp{},
      {
          {"bulbs", &Lamp::bulbs, {.help = "in it", .least = 1, .most = 8}},
          {"warm_up", &Lamp::warm_up, {.help = "before it shines"}},
          {"rate", &Lamp::rate, {.help = "of its wire", .mininet = "bw"}},
          {"room", &Lamp::room, {.help = "in its box", .most = 200, .below = true}},
          {"colour",
           &Lamp::colour,
           {{"red", Colour::red}, {"green", Colour::green}},
           {.help = "of its light"}},
          {"loss", &Lamp::loss, {.help = "of its light", .unit = "%"}},
          {"lit", &Lamp::lit, {.help = "now"}},
          {"slots",
           slot_options(),
           [](Lamp& lamp, std::vector<Slot> slots) { lamp.slots = std::move(slots); },
           {.help = "in turns", .least_items = 1}},
      },
      {{"dark", {.lit = false}}});
  return table;
}

std::string refusal(const OptionValue& given) {
  try {
    lamp_options().read(given, "make lamp l1");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

using Dict = OptionValue::Dict;

TEST(OptionTable, fills_the_members_by_the_keys_of_a_plan) {
  const Lamp lamp =
      lamp_options().read(Dict{{"bulbs", std::int64_t{8}},
                               {"warm_up_ns", std::int64_t{7}},
                               {"rate_bps", std::int64_t{1'000}},
                               {"room_bytes", std::int64_t{199}},
                               {"colour", std::string("red")},
                               {"loss", 0.25},
                               {"slots", OptionValue::List{Dict{{"length_ns", std::int64_t{4}}}}}},
                          "make lamp l1");
  EXPECT_EQ(lamp.bulbs, 8);
  EXPECT_EQ(lamp.warm_up, Duration::ns(7));
  EXPECT_EQ(lamp.rate, DataRate::bps(1'000));
  EXPECT_EQ(lamp.room, ByteCount::bytes(199));
  EXPECT_EQ(lamp.colour, Colour::red);
  EXPECT_EQ(lamp.loss, 0.25);
  ASSERT_EQ(lamp.slots.size(), 1U);
  EXPECT_EQ(lamp.slots[0].length, Duration::ns(4));
  EXPECT_TRUE(lamp.lit);
}

TEST(OptionTable, what_is_not_given_is_as_in_a_new_struct_or_a_preset) {
  EXPECT_EQ(lamp_options().read(Dict{}, "l1").bulbs, 3);
  EXPECT_FALSE(lamp_options().read(std::string("dark"), "l1").lit);
  EXPECT_FALSE(lamp_options().read(Dict{{"preset", std::string("dark")}}, "l1").lit);
  EXPECT_EQ(lamp_options().facts().presets.at(0).second, (Dict{{"lit", false}}));
}

TEST(OptionTable, null_takes_away_what_need_not_be_there) {
  EXPECT_EQ(lamp_options().read(Dict{{"rate_bps", OptionValue()}}, "l1").rate, std::nullopt);
  EXPECT_EQ(refusal(Dict{{"bulbs", OptionValue()}}),
            "make lamp l1: bulbs is null; it must be a whole number from 1 to 8");
}

TEST(OptionTable, refuses_what_is_unknown_with_the_nearest_name) {
  EXPECT_EQ(refusal(Dict{{"blubs", std::int64_t{2}}}),
            "make lamp l1: there is no option blubs; did you mean bulbs?");
  EXPECT_EQ(refusal(Dict{{"zzzzz", std::int64_t{2}}}),
            "make lamp l1: there is no option zzzzz; there are bulbs, warm_up_ns, rate_bps, room_bytes, "
            "colour, loss, "
            "lit, slots");
  EXPECT_EQ(refusal(Dict{{"colour", std::string("gren")}}),
            "make lamp l1: colour \"gren\" is unknown; did you mean green?");
  EXPECT_EQ(refusal(std::string("drak")), "make lamp l1: preset \"drak\" is unknown; did you mean dark?");
}

TEST(OptionTable, refuses_other_types_and_values_out_of_range_with_the_range) {
  EXPECT_EQ(refusal(Dict{{"bulbs", std::int64_t{9}}}),
            "make lamp l1: bulbs is 9; it must be a whole number from 1 to 8");
  EXPECT_EQ(refusal(Dict{{"warm_up_ns", std::int64_t{-1}}}),
            "make lamp l1: warm_up_ns is -1; it must be a whole number of nanoseconds, at least 0");
  EXPECT_EQ(refusal(Dict{{"room_bytes", std::int64_t{200}}}),
            "make lamp l1: room_bytes is 200; it must be a whole number of bytes, at least 0, below 200");
  EXPECT_EQ(refusal(Dict{{"loss", std::string("1%")}}),
            "make lamp l1: loss is \"1%\"; it must be a number from 0 to 1");
  EXPECT_EQ(refusal(Dict{{"lit", std::int64_t{1}}}), "make lamp l1: lit is 1; it must be true or false");
  EXPECT_EQ(refusal(Dict{{"slots", OptionValue::List{}}}),
            "make lamp l1: slots is []; it must be a list of 1 or more, each a dictionary of options");
  EXPECT_EQ(
      refusal(Dict{{"slots", OptionValue::List{Dict{}}}}),
      "make lamp l1: slots: length_ns is missing; it must be a whole number of nanoseconds, at least 0");
}

TEST(OptionTable, checks_a_struct_against_the_same_ranges) {
  Lamp lamp;
  lamp_options().check(lamp, "make lamp l1");
  lamp.bulbs = 0;
  EXPECT_THROW(lamp_options().check(lamp, "make lamp l1"), ConfigError);
}

TEST(OptionTable, tells_names_units_and_defaults_to_whoever_asks) {
  const std::vector<OptionFacts>& facts = lamp_options().facts().options;
  EXPECT_EQ(facts[1].name, "warm_up");
  EXPECT_EQ(facts[1].key, "warm_up_ns");
  EXPECT_EQ(facts[1].otherwise, OptionValue(std::int64_t{5'000'000}));
  EXPECT_EQ(facts[2].mininet, "bw");
  EXPECT_TRUE(facts[2].nullable);
  EXPECT_EQ(facts[4].choices, (std::vector<std::string>{"red", "green"}));
  EXPECT_EQ(facts[5].kind, OptionKind::share);
}

struct Model {
  std::string what;
};
const OptionFamily<Model>& lights() {
  static const OptionFamily<Model> family(
      "light", "model",
      {model<Model>(lamp_options(), [](const Lamp& lamp) { return Model{std::to_string(lamp.bulbs)}; }),
       model<Model>(slot_options(), [](const Slot&) { return Model{"slot"}; })});
  return family;
}

TEST(OptionFamily, reads_a_model_by_its_name) {
  EXPECT_EQ(lights().read(Dict{{"model", std::string("lamp")}, {"bulbs", std::int64_t{2}}}, "l1").what, "2");
  const auto refused = [](const Dict& given) {
    try {
      lights().read(given, "l1: light");
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused(Dict{{"model", std::string("lmap")}}),
            "l1: light: model \"lmap\" is unknown; did you mean lamp?");
  EXPECT_EQ(refused(Dict{}), "l1: light: model is missing; there are lamp, slot");
  EXPECT_EQ(refused(Dict{{"model", std::string("lamp")}, {"bulb", std::int64_t{2}}}),
            "l1: light (lamp): there is no option bulb; did you mean bulbs?");
}

}  // namespace
}  // namespace simcore
