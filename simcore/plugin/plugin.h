// SPDX-License-Identifier: MIT
//
// hybridnet/plugin.h: your own model of a link, in one file of C++.
//
//   #include <hybridnet/plugin.h>
//
//   class Every final : public hybridnet::LossModel {
//    public:
//     explicit Every(hybridnet::Setup& setup) : every_(setup.whole("every", 100)) {}
//     bool lost(const hybridnet::Packet&, hybridnet::Random&) override { return ++seen_ % every_ == 0; }
//
//    private:
//     std::int64_t every_;
//     std::int64_t seen_ = 0;
//   };
//   HYBRIDNET_PLUGIN(Every)
//
//   $ hybridnet plugin build every.cc
//   $ sudo hybridnet wire eth1 eth2 --model ./every.so:every=50
//
// A model is a LossModel, a DelayModel, a RateModel, or several of them at once. One is made for each direction of each
// link, with the arguments that were written; it may keep any state. It is asked once for each segment, in the order in
// which segments come, from one thread. What it throws ends the simulation with its words; so does a value that cannot
// be. It must not block: the wire waits meanwhile.
//
// Draw random numbers from the Random that is given, and from nowhere else: it belongs to this model of this link and
// follows the run's seed, so a run can be repeated.
//
// This header needs nothing but the standard library, and a plug-in links nothing of hybridnet. The part in extern "C"
// is what the two exchange; HYBRIDNET_PLUGIN_ABI grows when it changes, and a plug-in of another number is refused.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <numbers>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#define HYBRIDNET_PLUGIN_ABI 1u

extern "C" {

// A segment: one frame, or one of those that travel together as a train and are stored once, headers first. Valid
// during the call.
struct hybridnet_packet {
  const std::uint8_t*
      headers;  // from the first byte of the Ethernet header; of a single frame: all that is stored
  const std::uint8_t* payload;  // of this segment of a train; of a single frame: null
  std::uint32_t header_size;
  std::uint32_t payload_size;
  std::uint32_t
      length;  // bytes on the wire; more than are stored where simulated TCP sends what nobody reads
  std::uint16_t segment;    // which of the train, from 0
  std::uint16_t segments;   // of the train; 1: a single frame
  std::uint32_t direction;  // 0: from the link's first end to its second, 1: back
  std::int64_t time_ns;     // simulated time: when it comes, or for a rate: when it starts on the wire
};

struct hybridnet_random {
  std::uint64_t (*next)(void* stream);  // 64 random bits
  void* stream;
};

struct hybridnet_setup {
  const char* const* names;  // of the arguments that were written
  const char* const* values;
  std::uint32_t count;
  std::uint32_t direction;
};

// What a plug-in offers. Functions that can fail say why, in at most `room` bytes with the closing zero.
struct hybridnet_model {
  std::uint32_t abi;  // HYBRIDNET_PLUGIN_ABI
  const char* name;
  void* (*create)(const hybridnet_setup*, char* why, std::size_t room);  // null: it failed
  void (*destroy)(void* model);
  // Each of these is null where the model is none of that kind.
  // 1: lost, 0: not, negative: it failed.
  std::int32_t (*lost)(void* model, const hybridnet_packet*, const hybridnet_random*, char* why,
                       std::size_t room);
  // Beyond what every packet takes, 0 or more; negative: it failed.
  std::int64_t (*delay_ns)(void* model, const hybridnet_packet*, const hybridnet_random*, char* why,
                           std::size_t room);
  // At which this frame is sent, 1 or more; else: it failed.
  std::int64_t (*bits_per_second)(void* model, const hybridnet_packet*, const hybridnet_random*, char* why,
                                  std::size_t room);
};

// The entry point, which HYBRIDNET_PLUGIN defines.
const hybridnet_model* hybridnet_plugin();

}  // extern "C"

namespace hybridnet {

enum class Direction : std::uint8_t { forward, backward };

class Packet {
 public:
  explicit Packet(const hybridnet_packet& from) : from_(from) {}

  // Of a single frame: all bytes that are stored. Of a segment of a train: the headers, which are those of the whole
  // train: its first segment's sequence number, its own length fields.
  std::span<const std::uint8_t> headers() const { return {from_.headers, from_.header_size}; }
  // Of a segment of a train: its payload. Of a single frame: empty, as headers() has it.
  std::span<const std::uint8_t> payload() const { return {from_.payload, from_.payload_size}; }

  std::int64_t length() const { return from_.length; }  // bytes on the wire, of this segment
  int segment() const { return from_.segment; }
  int segments() const { return from_.segments; }
  std::int64_t time_ns() const { return from_.time_ns; }
  Direction direction() const { return static_cast<Direction>(from_.direction); }

 private:
  const hybridnet_packet& from_;
};

class Random {
 public:
  using result_type = std::uint64_t;  // a uniform random bit generator, for <random> too

  explicit Random(const hybridnet_random& from) : from_(from) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return UINT64_MAX; }
  result_type operator()() { return from_.next(from_.stream); }

  // In [0, 1).
  double uniform() { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }
  // True with this probability.
  bool chance(double probability) { return uniform() < probability; }
  double exponential(double mean) { return -mean * std::log1p(-uniform()); }
  double normal(double mean, double deviation) {
    const double radius = std::sqrt(-2.0 * std::log1p(-uniform()));
    return mean + deviation * radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  const hybridnet_random& from_;
};

// The arguments of a model, for its constructor. Each reader throws when the text is not what it reads, or there is none
// and no default. An argument that the constructor does not read is an error: nothing written is ignored.
class Setup {
 public:
  explicit Setup(const hybridnet_setup& from) : from_(from) {}

  Direction direction() const { return static_cast<Direction>(from_.direction); }

  std::string text(std::string_view name) { return needed(name); }
  std::string text(std::string_view name, std::string_view otherwise) {
    const char* const value = find(name);
    return value ? value : std::string(otherwise);
  }
  double number(std::string_view name) { return number_of(name, needed(name)); }
  double number(std::string_view name, double otherwise) {
    const char* const value = find(name);
    return value ? number_of(name, value) : otherwise;
  }
  std::int64_t whole(std::string_view name) { return whole_of(name, needed(name)); }
  std::int64_t whole(std::string_view name, std::int64_t otherwise) {
    const char* const value = find(name);
    return value ? whole_of(name, value) : otherwise;
  }
  // From 0 to 1; "5%" is 0.05.
  double probability(std::string_view name) { return probability_of(name, needed(name)); }
  double probability(std::string_view name, double otherwise) {
    const char* const value = find(name);
    return value ? probability_of(name, value) : otherwise;
  }
  // Nanoseconds, of text with its unit: ns, us, ms, s, min, h, d.
  std::int64_t duration_ns(std::string_view name) { return duration_of(name, needed(name)); }
  std::int64_t duration_ns(std::string_view name, std::int64_t otherwise) {
    const char* const value = find(name);
    return value ? duration_of(name, value) : otherwise;
  }

  // Throws when an argument was written that nobody has read.
  void check_all_read() const {
    for (std::uint32_t i = 0; i < from_.count; ++i) {
      if (!read_.contains(from_.names[i])) {
        std::string known;
        for (const std::string& name : read_) known += (known.empty() ? "" : ", ") + name;
        throw std::invalid_argument("there is no argument " + std::string(from_.names[i]) + "; there are " +
                                    (known.empty() ? "none" : known));
      }
    }
  }

 private:
  const char* find(std::string_view name) {
    read_.emplace(name);
    for (std::uint32_t i = 0; i < from_.count; ++i) {
      if (name == from_.names[i]) return from_.values[i];
    }
    return nullptr;
  }
  const char* needed(std::string_view name) {
    const char* const value = find(name);
    if (!value) {
      throw std::invalid_argument("argument " + std::string(name) + " is missing; write " +
                                  std::string(name) + "=...");
    }
    return value;
  }
  [[noreturn]] static void refuse(std::string_view name, std::string_view value, const char* cure) {
    throw std::invalid_argument("argument " + std::string(name) + " is \"" + std::string(value) +
                                "\"; write " + cure);
  }
  // Reads a number at the start of `text`, and takes it off.
  template <class T>
  static bool take(std::string_view& text, T& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
  }
  static double number_of(std::string_view name, std::string_view value) {
    std::string_view rest = value;
    double number = 0;
    if (!take(rest, number) || !rest.empty() || !std::isfinite(number)) refuse(name, value, "a number");
    return number;
  }
  static std::int64_t whole_of(std::string_view name, std::string_view value) {
    std::string_view rest = value;
    std::int64_t number = 0;
    if (!take(rest, number) || !rest.empty()) refuse(name, value, "a whole number");
    return number;
  }
  static double probability_of(std::string_view name, std::string_view value) {
    std::string_view rest = value;
    double number = 0;
    const bool read = take(rest, number);
    if (rest == "%") number /= 100;
    if (!read || !(rest.empty() || rest == "%") || !(number >= 0 && number <= 1)) {
      refuse(name, value, "a number from 0 to 1, or a percentage");
    }
    return number;
  }
  // 0: no unit of time.
  static double nanoseconds_in(std::string_view unit) {
    if (unit == "ns") return 1;
    if (unit == "us") return 1e3;
    if (unit == "ms") return 1e6;
    if (unit == "s") return 1e9;
    if (unit == "min") return 60e9;
    if (unit == "h") return 3'600e9;
    return unit == "d" ? 86'400e9 : 0;
  }
  static std::int64_t duration_of(std::string_view name, std::string_view value) {
    std::string_view rest = value;
    double number = 0;
    const bool read = take(rest, number);
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    const double unit = nanoseconds_in(rest);
    if (!read || unit == 0 || !(number >= 0 && number * unit <= 365 * nanoseconds_in("d"))) {
      refuse(name, value, "a time with its unit, for example 5ms, at most 365d");
    }
    return std::llround(number * unit);
  }

  const hybridnet_setup& from_;
  std::set<std::string, std::less<>> read_;
};

// The three kinds of models. A class derives from one or more of them.

class LossModel {
 public:
  virtual ~LossModel() = default;
  // Whether this segment is lost.
  virtual bool lost(const Packet& packet, Random& random) = 0;
};

class DelayModel {
 public:
  virtual ~DelayModel() = default;
  // How long this segment takes, besides the link's own delay: 0 or more. A later segment that takes less overtakes.
  virtual std::int64_t delay_ns(const Packet& packet, Random& random) = 0;
};

class RateModel {
 public:
  virtual ~RateModel() = default;
  // The rate at which this frame is sent, asked when it starts: 1 or more.
  virtual std::int64_t bits_per_second(const Packet& packet, Random& random) = 0;
};

namespace detail {

inline void tell(const char* text, char* why, std::size_t room) {
  if (room == 0) return;
  const std::size_t length = std::min(std::strlen(text), room - 1);
  std::memcpy(why, text, length);
  why[length] = '\0';
}

// What `call` returns; what it throws becomes text, and `failed`.
template <class Result, class Call>
Result guarded(Result failed, char* why, std::size_t room, Call call) noexcept {
  try {
    return call();
  } catch (const std::exception& error) {
    tell(error.what(), why, room);
  } catch (...) {
    tell("it threw something that is not a std::exception", why, room);
  }
  return failed;
}

// What stands behind a value that the interface has for failures.
template <class Value>
Value accepted(Value value, Value least, const char* what) {
  if (value >= least) return value;
  throw std::range_error(std::string(what) + " returned " + std::to_string(value) + "; it must be " +
                         std::to_string(least) + " or more");
}

template <class Model>
struct Functions {
  static constexpr bool loses = std::is_base_of_v<LossModel, Model>;
  static constexpr bool delays = std::is_base_of_v<DelayModel, Model>;
  static constexpr bool rates = std::is_base_of_v<RateModel, Model>;
  static_assert(loses || delays || rates, "a model is a LossModel, a DelayModel or a RateModel");
  static_assert(std::is_constructible_v<Model, Setup&>, "a model has a constructor that takes a Setup&");

  static void* create(const hybridnet_setup* from, char* why, std::size_t room) {
    return guarded<void*>(nullptr, why, room, [from] {
      Setup setup(*from);
      auto model = std::make_unique<Model>(setup);
      setup.check_all_read();
      return static_cast<void*>(model.release());
    });
  }
  static void destroy(void* model) { delete static_cast<Model*>(model); }

  static std::int32_t lost(void* model, const hybridnet_packet* packet, const hybridnet_random* random,
                           char* why, std::size_t room) {
    return guarded<std::int32_t>(-1, why, room, [=] {
      Random stream(*random);
      return static_cast<Model*>(model)->lost(Packet(*packet), stream) ? 1 : 0;
    });
  }
  static std::int64_t delay_ns(void* model, const hybridnet_packet* packet, const hybridnet_random* random,
                               char* why, std::size_t room) {
    return guarded<std::int64_t>(-1, why, room, [=] {
      Random stream(*random);
      const std::int64_t delay = static_cast<Model*>(model)->delay_ns(Packet(*packet), stream);
      return accepted<std::int64_t>(delay, 0, "delay_ns()");
    });
  }
  static std::int64_t bits_per_second(void* model, const hybridnet_packet* packet,
                                      const hybridnet_random* random, char* why, std::size_t room) {
    return guarded<std::int64_t>(-1, why, room, [=] {
      Random stream(*random);
      const std::int64_t rate = static_cast<Model*>(model)->bits_per_second(Packet(*packet), stream);
      return accepted<std::int64_t>(rate, 1, "bits_per_second()");
    });
  }

  static constexpr hybridnet_model table(const char* name) {
    hybridnet_model model{};
    model.abi = HYBRIDNET_PLUGIN_ABI;
    model.name = name;
    model.create = create;
    model.destroy = destroy;
    if constexpr (loses) model.lost = lost;
    if constexpr (delays) model.delay_ns = delay_ns;
    if constexpr (rates) model.bits_per_second = bits_per_second;
    return model;
  }
};

}  // namespace detail
}  // namespace hybridnet

// Makes the class the plug-in of its file. Once in a file, outside of every namespace.
#define HYBRIDNET_PLUGIN(Model)                                                                  \
  extern "C" __attribute__((visibility("default"))) const hybridnet_model* hybridnet_plugin() {  \
    static constexpr hybridnet_model model = hybridnet::detail::Functions<Model>::table(#Model); \
    return &model;                                                                               \
  }
