// SPDX-License-Identifier: MIT
//
// OptionType: how the type of a member is written in a plan: its kind, what stands behind its name in a plan's key, the
// range that the type itself has, and the way there and back. Specialize it for a type of your own.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simcore/options/option_facts.h"
#include "simcore/units/data.h"
#include "simcore/units/time.h"

namespace simcore {

template <class T>
struct OptionType;

template <>
struct OptionType<bool> {
  static constexpr OptionKind kKind = OptionKind::flag;
  static constexpr const char* kSuffix = "";
  static bool read(const OptionValue& value, const OptionFacts& facts, const std::string& place) {
    return flag_in(value, facts, place);
  }
  static OptionValue write(bool value) { return value; }
};

template <std::integral T>
struct OptionType<T> {
  static constexpr OptionKind kKind = OptionKind::count;
  static constexpr const char* kSuffix = "";
  static constexpr double kLeast = 0;
  static T read(const OptionValue& value, const OptionFacts& facts, const std::string& place) {
    const std::int64_t number = whole_in(value, facts, place);
    if (!std::in_range<T>(number)) refuse(value, facts, place);
    return static_cast<T>(number);
  }
  static OptionValue write(T value) { return static_cast<std::int64_t>(value); }
};

template <>
struct OptionType<double> {
  static constexpr OptionKind kKind = OptionKind::number;
  static constexpr const char* kSuffix = "";
  static double read(const OptionValue& value, const OptionFacts& facts, const std::string& place) {
    return number_in(value, facts, place);
  }
  static OptionValue write(double value) { return value; }
};

template <>
struct OptionType<Duration> {
  static constexpr OptionKind kKind = OptionKind::duration;
  static constexpr const char* kSuffix = "_ns";
  static constexpr double kLeast = 0;
  static Duration read(const OptionValue& value, const OptionFacts& facts, const std::string& place) {
    return Duration::ns(whole_in(value, facts, place));
  }
  static OptionValue write(Duration value) { return value.count_ns(); }
};

template <>
struct OptionType<SimTime> {
  static constexpr OptionKind kKind = OptionKind::duration;
  static constexpr const char* kSuffix = "_ns";
  static constexpr double kLeast = 0;
  static SimTime read(const OptionValue& value, const OptionFacts& facts, const std::string& place) {
    return SimTime::at_ns(whole_in(value, facts, place));
  }
  static OptionValue write(SimTime value) {
    return value == SimTime::never() ? OptionValue() : OptionValue(value.count_ns());
  }
};

template <>
struct OptionType<DataRate> {
  static constexpr OptionKind kKind = OptionKind::rate;
  static constexpr const char* kSuffix = "_bps";
  static constexpr double kLeast = 1;
  static DataRate read(const OptionValue& value, const OptionFacts& facts, const std::string& place) {
    return DataRate::bps(whole_in(value, facts, place));
  }
  static OptionValue write(DataRate value) { return value.bits_per_second(); }
};

template <>
struct OptionType<ByteCount> {
  static constexpr OptionKind kKind = OptionKind::size;
  static constexpr const char* kSuffix = "_bytes";
  static constexpr double kLeast = 0;
  static ByteCount read(const OptionValue& value, const OptionFacts& facts, const std::string& place) {
    return ByteCount::bytes(whole_in(value, facts, place));
  }
  static OptionValue write(ByteCount value) { return value.count(); }
};

template <>
struct OptionType<std::string> {
  static constexpr OptionKind kKind = OptionKind::text;
  static constexpr const char* kSuffix = "";
  static std::string read(const OptionValue& value, const OptionFacts& facts, const std::string& place) {
    return text_in(value, facts, place);
  }
  static OptionValue write(std::string value) { return value; }
};

template <class T>
struct OptionType<std::optional<T>> : OptionType<T> {
  static constexpr bool kNullable = true;
  static std::optional<T> read(const OptionValue& value, const OptionFacts& facts, const std::string& place) {
    if (value.is_null()) return std::nullopt;
    return OptionType<T>::read(value, facts, place);
  }
  static OptionValue write(const std::optional<T>& value) {
    return value ? OptionType<T>::write(*value) : OptionValue();
  }
};

template <class T>
struct OptionType<std::vector<T>> : OptionType<T> {
  static constexpr OptionKind kKind = OptionKind::list;
  static constexpr OptionKind kItem = OptionType<T>::kKind;
  static std::vector<T> read(const OptionValue& value, const OptionFacts& facts, const std::string& place) {
    std::vector<T> all;
    for (const OptionValue& each : list_in(value, facts, place))
      all.push_back(OptionType<T>::read(each, facts, place));
    return all;
  }
  static OptionValue write(const std::vector<T>& value) {
    OptionValue::List all;
    for (const T& each : value) all.push_back(OptionType<T>::write(each));
    return all;
  }
};

template <>
struct OptionType<std::map<std::string, std::string>> {
  static constexpr OptionKind kKind = OptionKind::map;
  static constexpr const char* kSuffix = "";
  static std::map<std::string, std::string> read(const OptionValue& value, const OptionFacts& facts,
                                                 const std::string& place) {
    if (value.dict() == nullptr) refuse(value, facts, place);
    std::map<std::string, std::string> all;
    for (const auto& [key, each] : *value.dict()) all[key] = text_in(each, facts, place);
    return all;
  }
  static OptionValue write(const std::map<std::string, std::string>& value) {
    OptionValue::Dict all;
    for (const auto& [key, each] : value) all.emplace_back(key, each);
    return all;
  }
};

}  // namespace simcore
