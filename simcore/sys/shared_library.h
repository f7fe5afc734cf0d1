// SPDX-License-Identifier: MIT
//
// SharedLibrary: a shared object that was loaded while the program runs.
#pragma once

#include <string>

namespace simcore {

class SharedLibrary {
 public:
  // Throws EnvironmentError: it cannot be loaded; the message has the loader's words.
  explicit SharedLibrary(std::string file);
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;
  ~SharedLibrary();

  // The function of that name; null: there is none. Function is its type, without the pointer.
  template <class Function>
  Function* function(const std::string& name) const {
    return reinterpret_cast<Function*>(find(name));
  }

  const std::string& file() const { return file_; }

 private:
  void* find(const std::string& name) const;

  std::string file_;
  void* handle_;
};

}  // namespace simcore
