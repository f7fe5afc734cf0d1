// SPDX-License-Identifier: MIT
#include "simcore/trace/output_file.h"

#include <cerrno>
#include <cstring>
#include <utility>

namespace simcore {

namespace {

constexpr std::size_t kBuffer = 256 * 1'024;

}  // namespace

OutputFile::OutputFile(const std::string& path, std::string what)
    : path_(path), what_(std::move(what)), buffer_(kBuffer), file_(std::fopen(path.c_str(), "wbe")) {
  if (!file_) {
    throw EnvironmentError("make the " + what_ + " " + path + ": " + std::strerror(errno) +
                           "; its folder must exist and be writable");
  }
  std::setvbuf(file_.get(), buffer_.data(), _IOFBF, buffer_.size());
}

void OutputFile::put(const void* bytes, std::size_t size) {
  if (error_ != 0 || !file_) return;
  if (std::fwrite(bytes, 1, size, file_.get()) != size) error_ = errno;
}

void OutputFile::fail(int error) {
  if (error_ == 0) error_ = error;
}

bool OutputFile::push() {
  if (file_ && std::fflush(file_.get()) != 0) fail(errno);
  return !failed();
}

void OutputFile::flush() {
  push();
  report_failure();
}

void OutputFile::close() {
  if (file_ && std::fclose(file_.release()) != 0) fail(errno);
  report_failure();
}

void OutputFile::report_failure() {
  if (error_ == 0) return;
  file_.reset();
  throw SystemError(attempt(), std::exchange(error_, 0));
}

}  // namespace simcore
