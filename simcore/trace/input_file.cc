// SPDX-License-Identifier: MIT
#include "simcore/trace/input_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

}  // namespace

InputFile::InputFile(const std::string& path) : name_(path), file_(std::fopen(path.c_str(), "rbe")) {
  const int failure = !file_ ? errno : std::filesystem::is_directory(path) ? EISDIR : 0;
  if (failure != 0) {
    throw EnvironmentError("read the capture file " + path + ": " + std::strerror(failure) +
                           "; give a file that exists and may be read");
  }
}

bool InputFile::read(std::span<std::uint8_t> into) {
  const std::size_t got = std::fread(into.data(), 1, into.size(), file_.get());
  if (got < into.size() && std::ferror(file_.get()) != 0) {
    throw SystemError("read the capture file " + name_, errno);
  }
  if (got == 0 && !into.empty()) return false;
  if (got < into.size()) {
    cut_ = true;
    refuse(offset_ + got, "it ends in the middle of a record; it was cut off, and `editcap " + name_ +
                              " WHOLE` keeps what is before");
  }
  offset_ += got;
  return true;
}

void InputFile::read_whole(std::span<std::uint8_t> into) {
  if (into.empty() || read(into)) return;
  cut_ = true;
  refuse(offset_, "it ends in the middle of a record; it was cut off, and `editcap " + name_ +
                      " WHOLE` keeps what is before");
}

std::span<const std::uint8_t> InputFile::take(std::size_t size) {
  for (std::size_t done = 0; done < size;) {
    const std::size_t piece = std::min(kPiece, size - done);
    if (taken_.size() < done + piece) taken_.resize(done + piece);
    read_whole(std::span(taken_).subspan(done, piece));
    done += piece;
  }
  return std::span(taken_).first(size);
}

void InputFile::skip(std::uint64_t size) {
  while (size > 0) {
    const std::size_t piece = static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, size));
    take(piece);
    size -= piece;
  }
}

void InputFile::refuse(std::uint64_t at, const std::string& what) const {
  throw ConfigError("read the capture file " + name_ + ", byte " + std::to_string(at) + ": " + what);
}

}  // namespace simcore
