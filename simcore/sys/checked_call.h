// SPDX-License-Identifier: MIT
//
// checked(): every system call whose failure is an error goes through it.
//
//   const int fd = checked(::socket(...), "open a packet socket on s1-eth3p");
#pragma once

#include <cerrno>
#include <string>
#include <string_view>

#include "simcore/units/error.h"

namespace simcore {

// Returns `result`, or throws SystemError when it is -1; `attempt` says what was tried, and on which object.
template <class Result>
Result checked(Result result, std::string_view attempt) {
  if (result == static_cast<Result>(-1)) throw SystemError(std::string(attempt), errno);
  return result;
}

}  // namespace simcore
