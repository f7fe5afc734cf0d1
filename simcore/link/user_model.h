// SPDX-License-Identifier: MIT
//
// UserModel: a user's model of one direction of a link, from a plug-in: loss, delay, rate, or several of them.
//
// The plug-in is a table of functions (simcore/plugin/plugin.h); who loads it is no matter of this layer. What the
// plug-in says it cannot do, and what cannot be, is thrown as a ConfigError: the one exception that the packet path
// knows, since there is nothing with which the simulation could go on.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "simcore/kernel/random.h"
#include "simcore/link/segment_view.h"
#include "simcore/link/server.h"
#include "simcore/plugin/plugin.h"
#include "simcore/units/data.h"
#include "simcore/units/time.h"

namespace simcore {

// The table of the plug-in in `file`. Throws ConfigError: it is null, of another version of the interface, incomplete, or
// offers nothing.
const hybridnet_model& checked_table(const hybridnet_model* functions, const std::string& file);

class UserModel {
 public:
  struct Config {
    std::string file;  // where it was loaded from
    std::map<std::string, std::string> arguments;
    bool backward = false;  // from the link's second end to its first
  };

  // `functions` stays there as long as `library` does. Throws ConfigError: it was built for another version of the
  // interface, it offers nothing, or it refuses its arguments.
  UserModel(const hybridnet_model* functions, std::shared_ptr<const void> library, Config config);
  UserModel(const UserModel&) = delete;
  UserModel& operator=(const UserModel&) = delete;
  ~UserModel();

  const Config& config() const { return config_; }
  bool loses() const { return functions_.lost != nullptr; }
  bool delays() const { return functions_.delay_ns != nullptr; }
  bool rates() const { return functions_.bits_per_second != nullptr; }

  // Which code this is, with which arguments, as text: of two that are the same, one can go on in the other's place.
  std::string origin() const;

  // Each throws ConfigError when the plug-in failed. Precondition: loses(), delays(), rates().
  bool lost(const SegmentView& segment, RandomStream& random);
  Duration delay(const SegmentView& segment, RandomStream& random);
  DataRate rate(const SegmentView& segment, SimTime start, RandomStream& random);

 private:
  hybridnet_packet view(const SegmentView& segment, SimTime time) const;
  [[noreturn]] void fail(const std::string& what, const char* why) const;

  std::shared_ptr<const void> library_;
  const hybridnet_model& functions_;
  Config config_;
  void* model_ = nullptr;
};

// The transmitter of a ServedLink whose rate is a user's model.
class UserServer final : public Server {
 public:
  // Precondition: model->rates().
  UserServer(std::shared_ptr<UserModel> model, RandomStream random)
      : model_(std::move(model)), random_(random) {}

  void announce(const Packet& frame, SimTime start) override;
  SimTime serve(ByteCount size, SimTime start) override { return server_.serve(size, start); }

 private:
  std::shared_ptr<UserModel> model_;
  RandomStream random_;
  RateServer server_{DataRate::bps(1)};  // what its rate is, is asked before each frame
};

}  // namespace simcore
