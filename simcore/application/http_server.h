// SPDX-License-Identifier: MIT
//
// HttpServer: HTTP/1.1 (RFC 9110, 9112) for one file whose bytes are computed, so that a client can check each of them:
// byte i is the exclusive or of the four octets of i.
//
// GET and HEAD; keep-alive and pipelining; 404 for other paths, 405 for other methods. A malformed request is
// answered once and the connection closed. A connection holds at most one head and what its TCP buffers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>

#include "simcore/application/http_request.h"
#include "simcore/stack/tcp_sockets.h"

namespace simcore {

class HttpServer final : public TcpListener, public TcpUser {
 public:
  struct Config {
    std::string path = "/file";
    std::int64_t size = 1'000'000;  // bytes, below 2^32
  };
  struct Counters {
    std::int64_t requests = 0;  // answered, whatever the answer
    std::int64_t refused = 0;   // of those, malformed
    std::int64_t body_bytes = 0;
    std::int64_t connections = 0;
    std::int64_t broken_connections = 0;  // that ended in an error
  };

  // Throws ConfigError when the path is none or the size is out of range.
  explicit HttpServer(Config config);

  // The bytes of the file from `offset` on.
  static void write_body(std::uint64_t offset, std::span<std::uint8_t> out);

  TcpUser& tcp_accept(TcpSocket& socket) override;
  void tcp_changed(TcpSocket& socket) override;
  void tcp_closed(TcpSocket& socket) override;

  const Counters& counters() const { return counters_; }

 private:
  struct Session {
    HttpRequestReader reader;
    std::string head;            // of the answer under way, what is not written yet
    std::int64_t body_next = 0;  // of its body, too
    std::int64_t body_end = 0;
    bool last = false;  // the connection closes after it
  };

  void read_request(TcpSocket& socket, Session& session);
  void answer(Session& session, int status, bool with_body, bool keep_alive);
  void answer_request(Session& session, const HttpRequest& request);
  bool write_answer(TcpSocket& socket, Session& session);

  Config config_;
  Counters counters_;
  std::unordered_map<const TcpSocket*, Session> sessions_;
};

}  // namespace simcore
