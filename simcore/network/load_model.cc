// SPDX-License-Identifier: MIT
#include "simcore/network/load_model.h"

#include <utility>

#include "simcore/sys/shared_library.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr const char* kEntry = "hybridnet_plugin";

struct Plugin {
  std::shared_ptr<const SharedLibrary> library;
  const hybridnet_model* functions;
};

Plugin open_plugin(const std::string& file) {
  std::shared_ptr<const SharedLibrary> library;
  try {
    library = std::make_shared<const SharedLibrary>(file);
  } catch (const EnvironmentError& error) {
    throw ConfigError(std::string(error.what()) + "; build it with: hybridnet plugin build");
  }
  auto* const entry = library->function<const hybridnet_model*()>(kEntry);
  if (!entry) {
    throw ConfigError("load plug-in " + file + ": it has no function " + kEntry +
                      "; end its source with HYBRIDNET_PLUGIN(Model)");
  }
  return {library, entry()};
}

}  // namespace

std::shared_ptr<UserModel> load_model(UserModel::Config config) {
  const Plugin plugin = open_plugin(config.file);
  return std::make_shared<UserModel>(plugin.functions, plugin.library, std::move(config));
}

void follow(LinkModel& model, const std::shared_ptr<UserModel>& user) {
  const auto refuse = [&user](bool twice, const std::string& what) {
    if (!twice) return;
    throw ConfigError("make link: plug-in " + user->config().file + " decides the " + what +
                      ", and so does another option; leave one of them out");
  };
  if (user->loses()) {
    refuse(static_cast<bool>(model.loss), "loss");
    model.loss_origin = user->origin();
    model.loss = [user](RandomStream& random, const SegmentView& segment) {
      return user->lost(segment, random);
    };
  }
  if (user->delays()) {
    refuse(static_cast<bool>(model.extra_delay), "delay");
    model.extra_delay_origin = user->origin();
    model.extra_delay = [user](RandomStream& random, const SegmentView& segment) {
      return user->delay(segment, random);
    };
  }
  if (user->rates()) {
    refuse(model.link.rate || !std::holds_alternative<std::monostate>(model.rate_model), "rate");
    model.rate_model = LinkModel::UserRate{user};
  }
}

std::string describe_plugin(const std::string& file) {
  const Plugin plugin = open_plugin(file);
  const hybridnet_model& functions = checked_table(plugin.functions, file);
  std::string kinds;
  const auto add = [&kinds](bool there, const char* kind) {
    if (there) kinds += (kinds.empty() ? "" : ", ") + std::string(kind);
  };
  add(functions.lost, "loss");
  add(functions.delay_ns, "delay");
  add(functions.bits_per_second, "rate");
  return std::string(functions.name) + ": " + kinds;
}

}  // namespace simcore
