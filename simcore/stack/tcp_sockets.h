// SPDX-License-Identifier: MIT
//
// TcpSockets: the TCP of a simulated host: connections, listeners, timers, and the frames between.
//
//   DualStack --> TcpSockets --> TcpSocket [ TcpConnection | timer ] --> TcpUser (an application)
//       ^                            |
//       '---------- frames ----------'
//
// A train is handled when its last segment has arrived, as a receiver behind GRO would; its acknowledgements
// are those of its segments. What comes for no connection and no listener is answered by a reset. The number
// of connections has a bound; a SYN above it is dropped and counted as queue_full, so the peer tries again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "simcore/kernel/random.h"
#include "simcore/kernel/simulation.h"
#include "simcore/link/delay_line.h"
#include "simcore/stack/icmp_listeners.h"
#include "simcore/stack/path_mtu_cache.h"
#include "simcore/stack/protocol_handler.h"
#include "simcore/stack/tcp_frames.h"
#include "simcore/stack/tcp_refusal.h"
#include "simcore/tcp/connection.h"
#include "simcore/tcp/tcp_options.h"

namespace simcore {

class Host;
class TcpSocket;
class TcpSockets;

// What uses a connection.
class TcpUser {
 public:
  // Something changed: established, data to read, room to write, the peer closed. Called with the
  // connection's segments not sent yet, so what is read now widens the window of their acknowledgements.
  virtual void tcp_changed(TcpSocket& socket) = 0;
  // The connection is over; connection().error() says how. The socket is gone after this call.
  virtual void tcp_closed(TcpSocket& socket) = 0;

 protected:
  ~TcpUser() = default;
};

class TcpListener {
 public:
  // A SYN came for the port that is listened at: the user of the new connection, which must outlive it.
  virtual TcpUser& tcp_accept(TcpSocket& socket) = 0;

 protected:
  ~TcpListener() = default;
};

// One connection of a host. It belongs to its TcpSockets.
class TcpSocket {
 public:
  TcpSocket(TcpSockets& owner, const TcpOptions& options, const TcpEnds& ends, SeqNum initial);
  TcpSocket(const TcpSocket&) = delete;
  TcpSocket& operator=(const TcpSocket&) = delete;

  // As those of TcpConnection; what they give rise to is sent at once, or, within a call to the user,
  // after it. A call that ends the connection, such as abort(), calls tcp_closed() before it returns,
  // and the socket is gone.
  std::int64_t write(std::span<const std::uint8_t> bytes);
  std::int64_t write_virtual(std::int64_t bytes);
  std::int64_t read(std::span<std::uint8_t> out);
  std::int64_t discard(std::int64_t bytes);
  // As close(2): nobody reads any more, either.
  void close();
  // As shutdown(2) of the sending half.
  void end_writing();
  void abort();

  // See TcpConnection. Users that only count what comes say so: bytes that nobody reads take memory, and caches.
  void count_only() { connection_.count_only(); }
  void no_delay() { connection_.no_delay(); }
  void take_back(std::int64_t bytes) { connection_.take_back(bytes); }
  void resume(std::int64_t segments);

  const TcpConnection& connection() const { return connection_; }
  const TcpEnds& ends() const { return ends_; }
  // Host and ends: "h1:10.0.0.1:5001>10.0.0.2:49152".
  std::string place() const;

 private:
  friend class TcpSockets;

  void fire();

  TcpSockets& owner_;
  TcpEnds ends_;
  TcpUser* user_ = nullptr;
  bool in_call_ = false;  // a call to the user is under way: settling waits for its end
  EventFor<TcpSocket, &TcpSocket::fire, "the TCP timer"> timer_{*this};
  TcpConnection connection_;
};

class TcpSockets final : public ProtocolHandler,
                         public PathMtuListener,
                         public IcmpErrorListener,
                         private PacketSink {
 public:
  static constexpr std::size_t kDefaultLimit = 65'536;

  // Takes over the TCP of `host`; all three must outlive this.
  TcpSockets(Simulation& simulation, Host& host, std::size_t limit = kDefaultLimit);
  ~TcpSockets();

  // From now on SYNs for `port` make connections with `options`. Throws ConfigError when the port is taken or
  // an option is out of range. `listener` must outlive this.
  void listen(std::uint16_t port, TcpListener& listener, const TcpOptions& options);

  // Opens a connection from a free port. Null when there is no route, no free port, or the limit is
  // reached; `options` as above. `user` must outlive the connection.
  TcpSocket* connect(const IpAddress& remote, std::uint16_t port, TcpUser& user, const TcpOptions& options);

  const std::string& host_name() const;
  std::size_t connections() const { return sockets_.size(); }
  // Calls `see` with each socket, at most `most` of them.
  template <class See>
  void for_each(std::size_t most, See see) const {
    for (const auto& [ends, socket] : sockets_) {
      if (most-- == 0) return;
      see(*socket);
    }
  }
  void receive(PacketPtr packet, const IpHeader& header, Interface& arrival) override;
  // Path MTU discovery (RFC 1191, RFC 8201), with the check of the sequence number that RFC 5927 section 7.2 asks for.
  void fragmentation_needed(const IpHeader& quoted, std::uint32_t mtu) override;
  // See TcpConnection::on_icmp_error().
  void icmp_error(IcmpFailure failure, const IpAddress& from, const IpHeader& quoted) override;

 private:
  friend class TcpSocket;

  struct EndsHash {
    std::size_t operator()(const TcpEnds& ends) const;
  };
  struct Listening {
    TcpListener* listener;
    TcpOptions options;
  };

  void accept(PacketPtr packet) override;  // a train whose last segment has arrived
  void handle(PacketPtr packet, const IpHeader& header);
  void handle_stranger(PacketPtr packet, const IpHeader& header, const TcpSegment& segment,
                       const TcpEnds& ends, std::optional<SeqNum> initial);
  // `initial`: the first sequence number, where it may not be any.
  TcpSocket& make(const TcpEnds& ends, TcpOptions options, std::optional<SeqNum> initial);
  void fetch_only_one() const;
  // Null when there is none.
  TcpSocket* find(const TcpEnds& ends);
  TcpSocket* sender_of(const IpHeader& quoted);
  // Tells the user, sends what there is to send, sets the timer; the end of every turn of a socket.
  void settle(TcpSocket& socket, bool tell_user);
  void forget(TcpSocket& socket);

  Simulation& simulation_;
  Host& host_;
  std::size_t limit_;
  RandomStream random_;
  TcpRefusal refusal_;
  PathMtuCache path_mtus_;
  DelayLine trains_;
  std::unordered_map<TcpEnds, std::unique_ptr<TcpSocket>, EndsHash> sockets_;
  TcpSocket* latest_ = nullptr;  // that something came for; null: look into the table
  std::unordered_map<std::uint16_t, Listening> listeners_;
  std::uint16_t next_port_;
};

}  // namespace simcore
