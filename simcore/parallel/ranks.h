// SPDX-License-Identifier: MIT
//
// Ranks: the processes of one MPI job, of which this is one. MPI itself is in a module that is loaded when somebody asks
// for it, so that simcore runs where there is none.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "simcore/sys/ranks_module.h"
#include "simcore/sys/shared_library.h"

namespace simcore {

class Ranks {
 public:
  // Begins MPI. Throws EnvironmentError: the module cannot be loaded, or MPI cannot begin.
  explicit Ranks(const std::string& module);
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  // Ends it, for all.
  ~Ranks() { functions_->end(); }

  std::size_t rank() const { return static_cast<std::size_t>(functions_->rank); }
  std::size_t size() const { return static_cast<std::size_t>(functions_->size); }

  // Of each rank what it gives. Everyone calls it equally often.
  std::vector<std::string> gather(const std::string& own) const;

  const hybridnet_ranks& functions() const { return *functions_; }

 private:
  SharedLibrary library_;
  const hybridnet_ranks* functions_;
};

}  // namespace simcore
