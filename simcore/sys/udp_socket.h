// SPDX-License-Identifier: MIT
//
// UdpSocket: a UDP socket of IPv4 that talks to one remote address and hears nobody else; or hears everybody, and says
// who it was.
//
// One system call moves many datagrams: a message may be cut into datagrams by the kernel (UDP_SEGMENT),
// consecutive datagrams of the remote may come as one message (UDP_GRO), and a call carries several messages
// (sendmmsg, recvmmsg). What this kernel lacks is left out, and said by segments().
//
// An ICMP "port unreachable" that an earlier datagram caused is reported by the kernel at some later call. It
// concerns no datagram in hand, so it is counted and the call repeated; the remote may not have started yet.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "simcore/sys/file_descriptor.h"
#include "simcore/units/data.h"
#include "simcore/units/time.h"

namespace simcore {

struct UdpEndpoint {
  std::uint32_t address = 0;  // host byte order
  std::uint16_t port = 0;

  // Reads "198.18.0.1:47000". Throws ConfigError for anything else.
  static UdpEndpoint parse(const std::string& text);
  std::string text() const;
  sockaddr_in socket_address() const;

  bool operator==(const UdpEndpoint&) const = default;
};

class UdpSocket {
 public:
  // What the kernel takes in one message, whatever it is cut into.
  static constexpr std::size_t kLargestMessage = 65'507;
  static constexpr std::size_t kMostSegments = 64;  // datagrams per message (UDP_MAX_SEGMENTS)
  static constexpr std::size_t kMessagesPerCall = 32;

  struct Message {
    std::span<const iovec> parts;  // the payload, gathered from here
    // Cut into datagrams of this many bytes, the last may be shorter; 0: not cut.
    std::uint16_t segment_size = 0;
  };

  struct Received {
    std::span<std::uint8_t> bytes;  // valid until the next receive(); the caller may write there
    // Of the datagrams in it, the last may be shorter; its size when there is one.
    std::size_t segment_size = 0;
    Duration waited = Duration::zero();  // in the socket, by the kernel's timestamp
    UdpEndpoint from;                    // who sent it; of a socket that hears everybody
  };

  // Bound to `local` (port 0: any free one) and connected to `remote`; without one it hears everybody. `buffer` is asked
  // for in each direction, beyond the system's limit where the privilege allows it. Throws EnvironmentError when `local`
  // is taken or not an address of this machine, SystemError for anything else.
  UdpSocket(const UdpEndpoint& local, const std::optional<UdpEndpoint>& remote, ByteCount buffer);

  int fd() const { return fd_.get(); }
  UdpEndpoint local() const;
  // Payload that the way to the remote carries without IP fragments; all that UDP carries, where there is no remote yet.
  std::size_t largest_datagram() const;

  // Where messages go, of a socket that hears everybody. Before the first call they go nowhere, and count as taken.
  void send_to(const UdpEndpoint& remote);

  // The kernel cuts messages into datagrams. Without it every message must be a datagram (segment_size 0).
  bool segments() const { return segments_; }
  // From now on it does not: it refused a segmented message, since a device on the way cannot do
  // it, or so one wishes.
  void give_up_segments() { segments_ = false; }

  // Of what is sent, where the kernel queues it: 0 to 6, as SO_PRIORITY takes it. Throws SystemError.
  void set_priority(int priority);

  // Hands `messages`, at most kMessagesPerCall, to the kernel without blocking. How many it took; or, when it
  // took not even the first, the negative error number: -EAGAIN when its buffer is full.
  int send(std::span<const Message> messages);

  // Takes in what is there, at most so many messages, without blocking. Empty when nothing is. Precondition: most <=
  // kMessagesPerCall.
  std::span<const Received> receive(std::size_t most = kMessagesPerCall);
  // What is there, with the kernel's own overhead; 0 where the kernel does not say.
  std::size_t waiting_bytes() const;

  std::uint64_t syscalls() const { return syscalls_; }        // sends and receives
  std::uint64_t unreachable() const { return unreachable_; }  // ICMP errors reported
  std::uint64_t truncated() const { return truncated_; }      // messages larger than any of ours, thrown away
  // Messages that the kernel dropped for want of receive buffer (SO_RXQ_OVFL).
  std::uint32_t kernel_drops() const { return kernel_drops_; }
  ByteCount receive_buffer() const;  // what the kernel granted

 private:
  static constexpr std::size_t kReceiveBytes = 65'536;
  static constexpr std::size_t kControlBytes = 128;

  void enlarge(int option, int forced_option, ByteCount buffer);
  void prepare_receiving();
  void read_control(msghdr& header, std::int64_t now_ns, Received& received);

  FileDescriptor fd_;
  bool connected_;
  sockaddr_in remote_{};  // where messages go, of one that is not connected; port 0: nowhere
  bool segments_ = false;
  std::uint64_t syscalls_ = 0;
  std::uint64_t unreachable_ = 0;
  std::uint64_t truncated_ = 0;
  std::uint32_t kernel_drops_ = 0;

  std::vector<mmsghdr> headers_;
  std::vector<sockaddr_in> senders_;
  std::vector<iovec> buffers_;
  std::vector<Received> received_;
  std::unique_ptr<std::uint8_t[]> bytes_;  // kMessagesPerCall buffers of kReceiveBytes, touched as they fill
  std::unique_ptr<std::uint8_t[]> control_;  // kMessagesPerCall buffers of kControlBytes
};

}  // namespace simcore
