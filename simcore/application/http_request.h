// SPDX-License-Identifier: MIT
//
// HttpRequestReader: the head of an HTTP/1.1 request out of a stream of bytes, as RFC 9112 has it, for a server that
// takes no content. Strict: what is ambiguous is refused, not guessed. The head is bounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace simcore {

struct HttpRequest {
  std::string method;
  std::string target;  // as sent, without what follows a '?'
  bool keep_alive = true;
};

class HttpRequestReader {
 public:
  static constexpr std::size_t kLargestHead = 16'384;  // bytes

  enum class Outcome : std::uint8_t {
    more,     // the head has not ended
    request,  // request() is complete; what follows it was not taken
    refused,  // status() says why; nothing more can be read from the stream
  };

  // Takes bytes from the front of `bytes`, at most to the end of one head.
  Outcome take(std::span<const std::uint8_t>& bytes);

  const HttpRequest& request() const { return request_; }
  int status() const { return status_; }  // of a refusal: 400, 413, 431, 501 or 505

 private:
  Outcome parse();
  bool parse_line(std::string_view line);
  bool parse_field(std::string_view line);
  void refuse(int status) { status_ = status; }

  std::string head_;
  HttpRequest request_;
  int hosts_ = 0;  // Host fields seen
  bool version_1_0_ = false;
  int status_ = 0;
};

}  // namespace simcore
