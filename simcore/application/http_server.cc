// SPDX-License-Identifier: MIT
#include "simcore/application/http_server.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "simcore/application/text_bytes.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr std::size_t kPiece = 16'384;  // read and written at once, bytes

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 413:
      return "Content Too Large";
    case 431:
      return "Request Header Fields Too Large";
    case 501:
      return "Not Implemented";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Bad Request";
  }
}

}  // namespace

HttpServer::HttpServer(Config config) : config_(std::move(config)) {
  const std::string attempt = "make HTTP server: ";
  const bool visible =
      std::ranges::all_of(config_.path, [](char c) { return c > ' ' && c < '\x7f' && c != '?'; });
  if (!config_.path.starts_with('/') || !visible) {
    throw ConfigError(attempt + "path is \"" + config_.path +
                      "\"; it must be like /file, without spaces and '?'");
  }
  if (config_.size < 0 || config_.size >= std::int64_t{1} << 32) {
    throw ConfigError(attempt + "size is " + std::to_string(config_.size) +
                      " bytes; it must be 0 to 2^32 - 1");
  }
}

void HttpServer::write_body(std::uint64_t offset, std::span<std::uint8_t> out) {
  for (std::uint8_t& byte : out) {
    byte = static_cast<std::uint8_t>(offset ^ offset >> 8 ^ offset >> 16 ^ offset >> 24);
    ++offset;
  }
}

TcpUser& HttpServer::tcp_accept(TcpSocket& socket) {
  ++counters_.connections;
  sessions_.try_emplace(&socket);
  return *this;
}

// One answer after the other: the next request is read when the answer before is written, so a client that does not
// read cannot make us keep more than its window allows.
void HttpServer::tcp_changed(TcpSocket& socket) {
  Session& session = sessions_.at(&socket);
  while (write_answer(socket, session)) {
    if (session.last) {
      socket.count_only();
      socket.discard(socket.connection().readable());
      // A client that still sends is not reset, or it might lose the answer (RFC 9112 section 9.6).
      return socket.connection().at_end_of_stream() ? socket.close() : socket.end_writing();
    }
    if (socket.connection().readable() == 0) {
      if (socket.connection().at_end_of_stream()) socket.close();
      return;
    }
    read_request(socket, session);
  }
}

void HttpServer::tcp_closed(TcpSocket& socket) {
  if (socket.connection().error() != TcpError::none) ++counters_.broken_connections;
  sessions_.erase(&socket);
}

// Byte by byte, so that what follows the head stays in the receive buffer.
void HttpServer::read_request(TcpSocket& socket, Session& session) {
  auto outcome = HttpRequestReader::Outcome::more;
  while (outcome == HttpRequestReader::Outcome::more && socket.connection().readable() > 0) {
    std::array<std::uint8_t, 1> byte;
    socket.read(byte);
    std::span<const std::uint8_t> bytes = byte;
    outcome = session.reader.take(bytes);
  }
  if (outcome == HttpRequestReader::Outcome::request) answer_request(session, session.reader.request());
  if (outcome == HttpRequestReader::Outcome::refused) {
    ++counters_.refused;
    answer(session, session.reader.status(), true, false);
  }
}

void HttpServer::answer_request(Session& session, const HttpRequest& request) {
  const bool head_only = request.method == "HEAD";
  const bool allowed = head_only || request.method == "GET";
  const int status = !allowed ? 405 : request.target == config_.path ? 200 : 404;
  answer(session, status, !head_only, request.keep_alive);
}

// The body of anything but 200 is its reason.
void HttpServer::answer(Session& session, int status, bool with_body, bool keep_alive) {
  ++counters_.requests;
  const std::string reason(reason_of(status));
  const bool ok = status == 200;
  const std::int64_t length = ok ? config_.size : static_cast<std::int64_t>(reason.size()) + 1;
  session.head = "HTTP/1.1 " + std::to_string(status) + " " + reason +
                 "\r\nContent-Length: " + std::to_string(length) +
                 "\r\nContent-Type: " + (ok ? "application/octet-stream" : "text/plain") +
                 (status == 405 ? "\r\nAllow: GET, HEAD" : "") +
                 (keep_alive ? "\r\nConnection: keep-alive\r\n\r\n" : "\r\nConnection: close\r\n\r\n");
  if (!ok && with_body) session.head += reason + "\n";
  session.body_next = 0;
  session.body_end = ok && with_body ? config_.size : 0;
  session.last = !keep_alive;
}

// Writes what there is room for; true when the answer is all written.
bool HttpServer::write_answer(TcpSocket& socket, Session& session) {
  if (!session.head.empty()) {
    const std::int64_t written = socket.write(bytes_of(session.head));
    session.head.erase(0, static_cast<std::size_t>(written));
    if (!session.head.empty()) return false;
  }
  std::array<std::uint8_t, kPiece> piece;
  while (session.body_next < session.body_end) {
    const std::int64_t room = socket.connection().room_to_write();
    const std::int64_t count =
        std::min({static_cast<std::int64_t>(kPiece), room, session.body_end - session.body_next});
    if (count == 0) return false;
    const std::span<std::uint8_t> bytes = std::span(piece).first(static_cast<std::size_t>(count));
    write_body(static_cast<std::uint64_t>(session.body_next), bytes);
    socket.write(bytes);
    session.body_next += count;
    counters_.body_bytes += count;
  }
  return true;
}

}  // namespace simcore
