// SPDX-License-Identifier: MIT
//
// OutputFile: a buffered file whose writer does not look at every call: the first failure is remembered, and reported
// by the next flush() or close(). Nothing is written behind a failure: what stood there could not be found again.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "simcore/trace/byte_sink.h"
#include "simcore/units/error.h"

namespace simcore {

class OutputFile final : public ByteSink {
 public:
  // Makes or empties the file; `what` names its kind in errors, such as "capture file". Throws EnvironmentError when
  // it cannot be made.
  OutputFile(const std::string& path, std::string what);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile() = default;  // writes what is buffered; call close() to learn of failures

  // Never throws. Does nothing after close().
  void put(const void* bytes, std::size_t size) override;

  // For whoever writes into the file and could not: the failure that flush() will report, unless one came before.
  void fail(int error);

  // Brings what is buffered to the file, and never throws either. False when anything could not be written.
  bool push();

  // The same. Throws SystemError, once, when anything could not be written.
  void flush();
  void close();

  bool open() const { return file_ != nullptr; }
  bool failed() const { return error_ != 0; }
  int error() const { return error_; }  // of the first failure that was not reported yet; 0: there is none
  // What flush() says of an error.
  std::string failure(int error) const { return SystemError(attempt(), error).what(); }
  const std::string& path() const { return path_; }

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::string attempt() const { return "write the " + what_ + " " + path_; }
  void report_failure();

  std::string path_;
  std::string what_;
  std::vector<char> buffer_;  // outlives file_, which uses it
  std::unique_ptr<std::FILE, CloseFile> file_;
  int error_ = 0;  // the first failure that was not reported yet
};

}  // namespace simcore
