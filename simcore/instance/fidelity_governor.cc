// SPDX-License-Identifier: MIT
#include "simcore/instance/fidelity_governor.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace simcore {

namespace {

constexpr double kTooBusy = 0.7;
constexpr double kBusyIfLate = 0.4;
constexpr Duration kLate = Duration::us(300);
constexpr double kRelieved = 0.5;
constexpr double kLeastRelief = 0.7;  // of how busy it was, for who is late
constexpr double kQuiet = 0.45;
constexpr double kMostAfterReturn = 0.6;
constexpr double kNewest = 0.1;  // weight of the latest period in how busy it was lately
constexpr Duration kSaves = Duration::ms(500);
constexpr Duration kShortestPatience = Duration::seconds(1);
constexpr Duration kLongestPatience = Duration::seconds(32);
constexpr double kLeastCost = 1e-7;  // s
constexpr double kMostCost = 1e-5;

// The places of the classes that are `form`, in the order of what they carry.
template <class Order>
std::vector<std::size_t> ordered(std::span<const FidelityGovernor::Class> classes,
                                 const std::vector<FlowForm>& forms, FlowForm form, Order order) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    if (forms[i] == form) places.push_back(i);
  }
  std::ranges::stable_sort(places, order, [&](std::size_t i) { return classes[i].work; });
  return places;
}

}  // namespace

std::vector<FlowForm> FidelityGovernor::begin(SimTime now, std::span<const Class> classes) {
  barred_.assign(classes.size(), false);
  quiet_from_ = now;
  std::vector<FlowForm> forms;
  double busy = 0;
  for (const Class& each : classes) {
    forms.push_back(each.allowed ? FlowForm::fluid : FlowForm::packets);
    if (!each.allowed) busy += each.work * cost_;
  }
  give_packets(busy, kRelieved, classes, forms);
  return forms;
}

std::vector<FlowForm> FidelityGovernor::decide(SimTime now, const Load& load,
                                               std::span<const Class> classes) {
  barred_.resize(classes.size());
  lately_ += kNewest * (load.busy - lately_);
  learn(now, classes);
  std::vector<FlowForm> forms;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const Class& of = classes[i];
    if (of.difference && of.allowed && std::abs(*of.difference) > *of.allowed) barred_[i] = true;
    forms.push_back(barred_[i] ? FlowForm::packets : of.form);
  }
  if (load.busy > kTooBusy || (load.busy > kBusyIfLate && load.late > kLate)) {
    relieve(now, load.busy, classes, forms);
  } else if (lately_ > kQuiet) {
    quiet_from_ = now;
  } else if (now - quiet_from_ >= patience_) {
    quiet_from_ = now;
    if (given_back_) patience_ = std::max(patience_ / 2, kShortestPatience);  // that one was right
    given_back_.reset();
    if (give_packets(lately_, kMostAfterReturn, classes, forms)) given_back_ = now;
  }
  return forms;
}

void FidelityGovernor::learn(SimTime now, std::span<const Class> classes) {
  double work = 0;
  for (const Class& each : classes) work += each.form == FlowForm::packets ? each.work : 0.0;
  work_lately_ += kNewest * (work - work_lately_);
  if (work_lately_ * cost_ > lately_) cost_ = std::max(kLeastCost, lately_ / work_lately_);
  if (!relief_ || now - relief_->since < kSaves) return;
  if (relief_->work > 0) cost_ = std::clamp((relief_->busy - lately_) / relief_->work, kLeastCost, kMostCost);
  relief_.reset();
}

// Those that carry most become fluid.
void FidelityGovernor::relieve(SimTime now, double busy, std::span<const Class> classes,
                               std::vector<FlowForm>& forms) {
  if (given_back_ && now - *given_back_ < patience_) patience_ = std::min(patience_ * 2, kLongestPatience);
  given_back_.reset();
  quiet_from_ = now;
  if (!relief_) relief_ = Relief{.since = now, .busy = busy, .work = 0.0};
  relief_->since = now;
  const double wanted = std::min(kRelieved, busy * kLeastRelief);
  double left = busy;
  for (const std::size_t place : ordered(classes, forms, FlowForm::packets, std::ranges::greater())) {
    if (left <= wanted) break;
    if (!changes(place, classes[place])) continue;
    forms[place] = FlowForm::fluid;
    relief_->work += classes[place].work;
    left -= classes[place].work * cost_;
  }
}

bool FidelityGovernor::give_packets(double busy, double most, std::span<const Class> classes,
                                    std::vector<FlowForm>& forms) {
  bool any = false;
  for (const std::size_t place : ordered(classes, forms, FlowForm::fluid, std::ranges::less())) {
    busy += classes[place].work * cost_;
    if (busy > most) break;
    forms[place] = FlowForm::packets;
    any = true;
  }
  return any;
}

}  // namespace simcore
