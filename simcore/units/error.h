// SPDX-License-Identifier: MIT
//
// The errors that simcore throws. Each has a twin of the same name in hybridnet/errors.py.
//
//   Error
//   |- ConfigError       the description of the network is wrong: the caller's mistake
//   |- EnvironmentError  this machine lacks something: a device, a privilege, a kernel feature
//   |- SystemError       the kernel refused a call that should have worked
//   `- LatenessError     a run that had to keep time did not
//
// Messages name the attempt, the object, the value and the cure. Nothing on the packet path throws.
#pragma once

#include <stdexcept>
#include <string>

namespace simcore {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ConfigError : public Error {
 public:
  using Error::Error;
};

class EnvironmentError : public Error {
 public:
  using Error::Error;
};

class SystemError : public Error {
 public:
  // `attempt` says what was tried and on which object; the text of `error_number` is appended.
  SystemError(const std::string& attempt, int error_number);

  int error_number() const { return error_number_; }

 private:
  int error_number_;
};

class LatenessError : public Error {
 public:
  using Error::Error;
};

}  // namespace simcore
