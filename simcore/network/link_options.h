// SPDX-License-Identifier: MIT
//
// LinkOptions: what plans, descriptions and command lines say of one direction of a link, and the LinkModel that it
// makes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "simcore/link/user_model.h"
#include "simcore/network/link_model.h"

namespace simcore {

template <class T>
class OptionTable;

struct LinkOptions {
  struct Reorder {
    double probability = 0;
    std::int64_t gap = 1;
  };

  LinkModel model = Link::Config{};  // all but what follows
  double corrupt = 0;
  double bit_error_rate = 0;
  std::optional<Reorder> reorder = {};
  std::optional<UserModel::Config> plugin = {};

  static const OptionTable<LinkOptions>& options();

  // Loads the plug-in, where there is one. Throws ConfigError, which begins with `place` where options contradict each
  // other.
  LinkModel link_model(const std::string& place) const;
};

}  // namespace simcore
