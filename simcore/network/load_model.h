// SPDX-License-Identifier: MIT
//
// load_model(): a user's model from the plug-in where it is.
#pragma once

#include <memory>
#include <string>

#include "simcore/link/user_model.h"
#include "simcore/network/link_model.h"

namespace simcore {

// Throws ConfigError: the file cannot be loaded, is not a plug-in, was built for another version of the interface, or
// refuses its arguments. The plug-in stays loaded as long as one of its models is there.
std::shared_ptr<UserModel> load_model(UserModel::Config config);

// Lets the user's model decide what it is a model of: loss, extra delay, rate. Throws ConfigError where the link has
// another one for that.
void follow(LinkModel& model, const std::shared_ptr<UserModel>& user);

// What the plug-in calls itself, and what it is a model of: "Bursty: loss, delay". Throws ConfigError as above, but for
// arguments, which it is not given.
std::string describe_plugin(const std::string& file);

}  // namespace simcore
