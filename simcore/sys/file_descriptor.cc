// SPDX-License-Identifier: MIT
#include "simcore/sys/file_descriptor.h"

#include <unistd.h>

namespace simcore {

void FileDescriptor::close() noexcept {
  // On Linux the descriptor is gone whatever close() returns, so there is nothing to retry
  // and nobody to tell.
  if (valid()) ::close(std::exchange(fd_, kNone));
}

}  // namespace simcore
