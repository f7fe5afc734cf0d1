// SPDX-License-Identifier: MIT
#include "simcore/sys/shared_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <utility>

#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr unsigned char kOwnClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;

template <class T>
bool read_at(std::ifstream& in, std::uint64_t place, T& value) {
  in.seekg(static_cast<std::streamoff>(place));
  return static_cast<bool>(in.read(reinterpret_cast<char*>(&value), sizeof value));
}

// Whether the file ends before what the loader would map of it. The loader does not look, and SIGBUS then ends the process.
// Of everything else that is wrong the loader speaks itself.
bool is_cut(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  ElfW(Ehdr) header;
  if (!in || !read_at(in, 0, header)) return false;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != kOwnClass)
    return false;
  in.seekg(0, std::ios::end);
  const auto size = static_cast<std::uint64_t>(in.tellg());
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) part;
    if (!read_at(in, header.e_phoff + i * sizeof part, part)) return true;
    if (part.p_type == PT_LOAD && (part.p_offset > size || part.p_filesz > size - part.p_offset)) return true;
  }
  return false;
}

}  // namespace

SharedLibrary::SharedLibrary(std::string file) : file_(std::move(file)) {
  // A name without a slash would be looked for in the system's folders.
  const std::string path = file_.find('/') == std::string::npos ? "./" + file_ : file_;
  if (is_cut(path)) throw EnvironmentError("load " + file_ + ": it was cut off, its end is missing");
  handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle_) throw EnvironmentError("load " + file_ + ": " + ::dlerror());
}

SharedLibrary::~SharedLibrary() { ::dlclose(handle_); }

void* SharedLibrary::find(const std::string& name) const { return ::dlsym(handle_, name.c_str()); }

}  // namespace simcore
