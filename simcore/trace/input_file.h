// SPDX-License-Identifier: MIT
//
// InputFile: a capture file that is read from its beginning to its end, and knows where it is, so that an error can say
// at which byte of which file it is wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace simcore {

class InputFile {
 public:
  // Throws EnvironmentError when it cannot be opened.
  explicit InputFile(const std::string& path);
  // Takes over `file`, which `name` stands for in errors.
  InputFile(std::FILE* file, std::string name) : name_(std::move(name)), file_(file) {}

  // Reads as many bytes as there is room for. False: the file was at its end. Throws ConfigError when it ends before
  // `into` is full, SystemError when it cannot be read.
  [[nodiscard]] bool read(std::span<std::uint8_t> into);

  // The next `size` bytes, valid until the next call; they are read piece by piece, so that a length which is not
  // true takes no more memory than the file has bytes. Throws as read().
  std::span<const std::uint8_t> take(std::size_t size);

  // Passes over them. Throws as read().
  void skip(std::uint64_t size);

  // A ConfigError that names the file and byte `at`.
  [[noreturn]] void refuse(std::uint64_t at, const std::string& what) const;

  std::uint64_t offset() const { return offset_; }
  bool cut() const { return cut_; }  // it ended in the middle of something
  const std::string& name() const { return name_; }

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void read_whole(std::span<std::uint8_t> into);

  std::string name_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  std::uint64_t offset_ = 0;
  bool cut_ = false;
  std::vector<std::uint8_t> taken_;
};

}  // namespace simcore
