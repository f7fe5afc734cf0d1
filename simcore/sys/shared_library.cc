// SPDX-License-Identifier: MIT
#include "simcore/sys/shared_library.h"

#include <dlfcn.h>

#include <utility>

#include "simcore/units/error.h"

namespace simcore {

SharedLibrary::SharedLibrary(std::string file) : file_(std::move(file)) {
  // A name without a slash would be looked for in the system's folders.
  const std::string path = file_.find('/') == std::string::npos ? "./" + file_ : file_;
  handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle_) throw EnvironmentError("load " + file_ + ": " + ::dlerror());
}

SharedLibrary::~SharedLibrary() { ::dlclose(handle_); }

void* SharedLibrary::find(const std::string& name) const { return ::dlsym(handle_, name.c_str()); }

}  // namespace simcore
