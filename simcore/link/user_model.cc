// SPDX-License-Identifier: MIT
#include "simcore/link/user_model.h"

#include <array>
#include <utility>
#include <vector>

#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr std::size_t kRoom = 512;  // for what a plug-in says
constexpr std::int64_t kLongest = 1'000'000'000'000'000;
constexpr std::int64_t kFastest = 1'000'000'000'000;

using Words = std::array<char, kRoom>;

std::uint64_t draw(void* stream) { return (*static_cast<RandomStream*>(stream))(); }

}  // namespace

const hybridnet_model& checked_table(const hybridnet_model* functions, const std::string& file) {
  const std::string attempt = "load plug-in " + file + ": ";
  if (!functions) {
    throw ConfigError(attempt + "hybridnet_plugin() returned null; define it with HYBRIDNET_PLUGIN(Model)");
  }
  if (functions->abi != HYBRIDNET_PLUGIN_ABI) {
    throw ConfigError(attempt + "it was built for version " + std::to_string(functions->abi) +
                      " of the interface, and this is version " + std::to_string(HYBRIDNET_PLUGIN_ABI) +
                      "; build it again: hybridnet plugin build");
  }
  if (!functions->name || !functions->create || !functions->destroy) {
    throw ConfigError(attempt +
                      "its table lacks name, create or destroy; define it with HYBRIDNET_PLUGIN(Model)");
  }
  if (!functions->lost && !functions->delay_ns && !functions->bits_per_second) {
    throw ConfigError(attempt + functions->name +
                      " is not a model of loss, delay or rate; give it one of them");
  }
  return *functions;
}

UserModel::UserModel(const hybridnet_model* functions, std::shared_ptr<const void> library, Config config)
    : library_(std::move(library)),
      functions_(checked_table(functions, config.file)),
      config_(std::move(config)) {
  std::vector<const char*> names;
  std::vector<const char*> values;
  for (const auto& [name, value] : config_.arguments) {
    names.push_back(name.c_str());
    values.push_back(value.c_str());
  }
  const hybridnet_setup setup{.names = names.data(),
                              .values = values.data(),
                              .count = static_cast<std::uint32_t>(names.size()),
                              .direction = config_.backward ? 1U : 0U};
  Words why{};
  try {
    model_ = functions_.create(&setup, why.data(), why.size());
  } catch (...) {  // of one that does not use HYBRIDNET_PLUGIN
    fail("make a model", "create() threw an exception");
  }
  if (!model_) fail("make a model", why[0] ? why.data() : "create() returned null and said nothing");
}

UserModel::~UserModel() {
  if (model_) functions_.destroy(model_);
}

std::string UserModel::origin() const {
  // A file that was built again is loaded beside the old one, to another address.
  std::string text = config_.file + " at " + std::to_string(reinterpret_cast<std::uintptr_t>(&functions_));
  for (const auto& [name, value] : config_.arguments) text.append(":").append(name).append("=").append(value);
  return text;
}

bool UserModel::lost(const SegmentView& segment, RandomStream& random) {
  const hybridnet_packet packet = view(segment, segment.arrival());
  const hybridnet_random stream{.next = draw, .stream = &random};
  Words why;
  why[0] = '\0';
  const std::int32_t lost = functions_.lost(model_, &packet, &stream, why.data(), why.size());
  if (lost < 0) fail("ask whether a packet is lost", why.data());
  return lost != 0;
}

Duration UserModel::delay(const SegmentView& segment, RandomStream& random) {
  const hybridnet_packet packet = view(segment, segment.arrival());
  const hybridnet_random stream{.next = draw, .stream = &random};
  Words why;
  why[0] = '\0';
  const std::int64_t delay = functions_.delay_ns(model_, &packet, &stream, why.data(), why.size());
  if (delay < 0) fail("ask for the delay of a packet", why.data());
  if (delay > kLongest) {
    fail("ask for the delay of a packet", (std::to_string(delay) + " ns is more than eleven days").c_str());
  }
  return Duration::ns(delay);
}

DataRate UserModel::rate(const SegmentView& segment, SimTime start, RandomStream& random) {
  const hybridnet_packet packet = view(segment, start);
  const hybridnet_random stream{.next = draw, .stream = &random};
  Words why;
  why[0] = '\0';
  const std::int64_t rate = functions_.bits_per_second(model_, &packet, &stream, why.data(), why.size());
  if (rate < 1) fail("ask for the rate of a packet", why.data());
  if (rate > kFastest) {
    fail("ask for the rate of a packet", (std::to_string(rate) + " bit/s is more than 1000 Gbit/s").c_str());
  }
  return DataRate::bps(rate);
}

hybridnet_packet UserModel::view(const SegmentView& segment, SimTime time) const {
  const auto headers = segment.headers();
  const auto payload = segment.payload();
  return {.headers = headers.data(),
          .payload = payload.data(),
          .header_size = static_cast<std::uint32_t>(headers.size()),
          .payload_size = static_cast<std::uint32_t>(payload.size()),
          .length = static_cast<std::uint32_t>(segment.length().count()),
          .segment = segment.index,
          .segments = segment.packet.segments,
          .direction = config_.backward ? 1U : 0U,
          .time_ns = time.count_ns()};
}

void UserModel::fail(const std::string& what, const char* why) const {
  throw ConfigError("plug-in " + std::string(functions_.name) + " (" + config_.file + "), " + what + ": " +
                    (why[0] ? why : "it failed and said nothing"));
}

void UserServer::announce(const Packet& frame, SimTime start) {
  server_.change(model_->rate({frame, 0}, start, random_), start, start);
}

}  // namespace simcore
