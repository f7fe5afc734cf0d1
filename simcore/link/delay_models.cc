// SPDX-License-Identifier: MIT
#include "simcore/link/delay_model.h"
#include "simcore/options/option_table.h"

namespace simcore {

namespace {

constexpr double kEarliest = -3.6e12;  // what a distribution has below zero is zero

struct Constant {
  Duration delay = Duration::zero();
};
struct Uniform {
  Duration low = Duration::zero();
  Duration high = Duration::zero();
};
struct Normal {
  Duration mean = Duration::zero();
  Duration deviation = Duration::zero();
  Duration least = Duration::zero();
};
struct Exponential {
  Duration mean_above = Duration::ns(1);
  Duration least = Duration::zero();
};
struct Table {
  std::vector<Duration> quantiles = {};
};
struct Trace {
  std::vector<Duration> delays = {};
};

const OptionTable<Constant>& constant() {
  static const OptionTable<Constant> table(
      "constant", "always the same", {},
      {{"delay", &Constant::delay, {.help = "of every packet", .required = true}}});
  return table;
}

const OptionTable<Uniform>& uniform() {
  static const OptionTable<Uniform> table(
      "uniform", "any value between two, all equally likely", {},
      {
          {"low", &Uniform::low, {.help = "the least", .least = kEarliest, .required = true}},
          {"high", &Uniform::high, {.help = "the longest", .required = true}},
      });
  return table;
}

const OptionTable<Normal>& normal() {
  static const OptionTable<Normal> table(
      "normal", "Gauss's distribution, cut off below", {},
      {
          {"mean", &Normal::mean, {.help = "of the distribution", .least = kEarliest, .required = true}},
          {"deviation", &Normal::deviation, {.help = "standard deviation", .required = true}},
          {"least", &Normal::least, {.help = "delays below this become this"}},
      });
  return table;
}

const OptionTable<Exponential>& exponential() {
  static const OptionTable<Exponential> table(
      "exponential", "a least delay, plus an exponential one", {},
      {
          {"mean_above",
           &Exponential::mean_above,
           {.help = "mean of what is added to the least", .least = 1, .required = true}},
          {"least", &Exponential::least, {.help = "what every packet takes"}},
      });
  return table;
}

const OptionTable<Table>& table_of_quantiles() {
  static const OptionTable<Table> table(
      "table", "a distribution that was measured", {},
      {{"quantiles",
        &Table::quantiles,
        {.help = "of the delay at equal steps from 0 to 100 %, not decreasing; linear in between",
         .least_items = 2,
         .required = true}}});
  return table;
}

const OptionTable<Trace>& trace() {
  static const OptionTable<Trace> table("trace", "delays that were measured", {},
                                        {{"delays",
                                          &Trace::delays,
                                          {.help = "one packet after the other, and from the start again",
                                           .least_items = 1,
                                           .required = true}}});
  return table;
}

}  // namespace

const OptionFamily<DelayModel>& delay_models() {
  using M = DelayModel;
  static const OptionFamily<M> family(
      "extra_delay", "model",
      {
          model<M>(constant(), [](const Constant& c) { return constant_delay(c.delay); }),
          model<M>(uniform(), [](const Uniform& u) { return uniform_delay(u.low, u.high); }),
          model<M>(normal(), [](const Normal& n) { return normal_delay(n.mean, n.deviation, n.least); }),
          model<M>(exponential(),
                   [](const Exponential& e) { return exponential_delay(e.least, e.mean_above); }),
          model<M>(table_of_quantiles(), [](const Table& t) { return table_delay(t.quantiles); }),
          model<M>(trace(), [](const Trace& t) { return trace_delay(t.delays); }),
      });
  return family;
}

}  // namespace simcore
