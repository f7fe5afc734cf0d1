// SPDX-License-Identifier: MIT
//
// ByteSink: where bytes of a file go, one piece after the other: into a file at once, or into a queue before it.
#pragma once

#include <cstddef>

namespace simcore {

class ByteSink {
 public:
  virtual void put(const void* bytes, std::size_t size) = 0;

 protected:
  ~ByteSink() = default;
};

}  // namespace simcore
