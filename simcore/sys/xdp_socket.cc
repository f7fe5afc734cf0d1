// SPDX-License-Identifier: MIT
#ifdef SIMCORE_XDP

#include "simcore/sys/xdp_socket.h"

#include <linux/if_ether.h>
#include <linux/if_xdp.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <xdp/xsk.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <vector>

#include "simcore/sys/checked_call.h"
#include "simcore/sys/ethtool.h"
#include "simcore/sys/network_device.h"
#include "simcore/sys/xdp_program.h"

namespace simcore {

namespace {

constexpr std::uint32_t kQueue = 0;
constexpr std::uint64_t kChunk = 4'096;  // of the shared memory, one frame each
constexpr int kEthernetAndTags = ETH_HLEN + 4 + 4;

void check_device(const std::string& device) {
  const std::string attempt = "open an AF_XDP socket on " + device;
  const unsigned queues = Ethtool(device).receive_queues().value_or(1);
  if (queues > 1) {
    throw EnvironmentError(attempt + ": the device has " + std::to_string(queues) +
                           " receive queues, and AF_XDP reads one; ethtool -L " + device +
                           " combined 1 (or rx 1), or choose another portal");
  }
  const int most = static_cast<int>(XdpSocket::kLargestFrame) - kEthernetAndTags;
  if (const int mtu = device_mtu(device); mtu > most) {
    throw EnvironmentError(attempt + ": its MTU is " + std::to_string(mtu) +
                           ", and AF_XDP holds frames of at most " + std::to_string(most) +
                           "; ip link set dev " + device + " mtu " + std::to_string(most) +
                           ", or choose another portal");
  }
}

std::uint32_t checked_frames(const std::string& device, std::uint32_t frames) {
  if (frames >= 64 && frames <= 32'768 && std::has_single_bit(frames)) return frames;
  throw ConfigError("open an AF_XDP socket on " + device + ": ring_frames is " + std::to_string(frames) +
                    "; it must be a power of two, 64 to 32,768");
}

// libxdp returns the negative error number.
void check_xsk(int result, const std::string& attempt) {
  if (result == 0) return;
  if (result == -EPERM) throw EnvironmentError(attempt + ": this needs CAP_NET_RAW; run as root");
  if (result == -EBUSY)
    throw EnvironmentError(attempt + ": its queue has another AF_XDP socket; end the program that has it");
  throw SystemError(attempt, -result);
}

// Memory that is shared with the kernel.
class Memory {
 public:
  explicit Memory(std::uint64_t size)
      : size_(size),
        start_(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (start_ == MAP_FAILED) throw SystemError("map " + std::to_string(size) + " bytes for AF_XDP", errno);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { ::munmap(start_, size_); }

  void* start() const { return start_; }
  std::uint64_t size() const { return size_; }
  std::uint8_t* at(std::uint64_t address) const { return static_cast<std::uint8_t*>(start_) + address; }

 private:
  std::uint64_t size_;
  void* start_;
};

struct Delete {
  void operator()(xsk_umem* memory) const { ::xsk_umem__delete(memory); }
  void operator()(xsk_socket* socket) const { ::xsk_socket__delete(socket); }
};

}  // namespace

// The first half of the memory is for frames that come, the second for frames that go.
struct XdpSocket::Parts {
  Parts(const std::string& device, std::uint32_t frames);

  void give_back_received();
  void collect_sent();
  int kick() const;

  Memory memory;
  xsk_ring_prod fill{};
  xsk_ring_cons completion{};
  std::unique_ptr<xsk_umem, Delete> shared;
  xsk_ring_cons rx{};
  xsk_ring_prod tx{};
  std::unique_ptr<xsk_socket, Delete> socket;
  int fd = -1;
  FileDescriptor promiscuous;
  XdpProgram program;

  std::array<std::uint64_t, kBatch> taken{};  // chunks of the frames that receive() has handed out
  std::size_t taken_count = 0;
  std::array<std::span<const std::uint8_t>, kBatch> received;
  std::vector<std::uint64_t> free;  // chunks for frames that go
  std::size_t in_kernel = 0;        // of them, those that the kernel has
  std::uint64_t tx_ring_full = 0;
};

XdpSocket::Parts::Parts(const std::string& device, std::uint32_t frames)
    : memory(2 * frames * kChunk), program(device) {
  const std::string attempt = "open an AF_XDP socket on " + device;
  xsk_umem_config of_memory{};
  of_memory.fill_size = of_memory.comp_size = frames;
  of_memory.frame_size = kChunk;
  xsk_umem* made_memory = nullptr;
  check_xsk(::xsk_umem__create(&made_memory, memory.start(), memory.size(), &fill, &completion, &of_memory),
            attempt);
  shared.reset(made_memory);

  xsk_socket_config of_socket{};
  of_socket.rx_size = of_socket.tx_size = frames;
  of_socket.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD;
  of_socket.bind_flags = XDP_USE_NEED_WAKEUP;
  xsk_socket* made_socket = nullptr;
  check_xsk(::xsk_socket__create(&made_socket, device.c_str(), kQueue, shared.get(), &rx, &tx, &of_socket),
            attempt);
  socket.reset(made_socket);
  fd = ::xsk_socket__fd(made_socket);
  promiscuous = keep_promiscuous(device);

  std::uint32_t place = 0;
  ::xsk_ring_prod__reserve(&fill, frames, &place);
  for (std::uint32_t i = 0; i < frames; ++i) *::xsk_ring_prod__fill_addr(&fill, place++) = i * kChunk;
  ::xsk_ring_prod__submit(&fill, frames);
  for (std::uint32_t i = 2 * frames; i > frames; --i) free.push_back((i - 1) * kChunk);
  check_xsk(::xsk_socket__update_xskmap(made_socket, program.sockets()), attempt);
}

// There is always room: no more chunks are about than the ring has places.
void XdpSocket::Parts::give_back_received() {
  std::uint32_t place = 0;
  if (taken_count == 0) return;
  ::xsk_ring_prod__reserve(&fill, static_cast<std::uint32_t>(taken_count), &place);
  for (std::size_t i = 0; i < taken_count; ++i) *::xsk_ring_prod__fill_addr(&fill, place++) = taken[i];
  ::xsk_ring_prod__submit(&fill, static_cast<std::uint32_t>(taken_count));
  taken_count = 0;
  if (::xsk_ring_prod__needs_wakeup(&fill) != 0) ::recvfrom(fd, nullptr, 0, MSG_DONTWAIT, nullptr, nullptr);
}

void XdpSocket::Parts::collect_sent() {
  std::uint32_t place = 0;
  const std::uint32_t count =
      ::xsk_ring_cons__peek(&completion, static_cast<std::uint32_t>(in_kernel), &place);
  for (std::uint32_t i = 0; i < count; ++i) free.push_back(*::xsk_ring_cons__comp_addr(&completion, place++));
  ::xsk_ring_cons__release(&completion, count);
  in_kernel -= count;
}

int XdpSocket::Parts::kick() const {
  return ::sendto(fd, nullptr, 0, MSG_DONTWAIT, nullptr, 0) < 0 ? errno : 0;
}

XdpSocket::XdpSocket(const std::string& device, const Options& options) {
  const std::uint32_t frames = checked_frames(device, options.ring_frames);
  check_device(device);
  parts_ = std::make_unique<Parts>(device, frames);
}

XdpSocket::~XdpSocket() = default;

int XdpSocket::fd() const { return parts_->fd; }

std::span<const std::span<const std::uint8_t>> XdpSocket::receive() {
  Parts& p = *parts_;
  p.give_back_received();
  std::uint32_t place = 0;
  const std::uint32_t count = ::xsk_ring_cons__peek(&p.rx, kBatch, &place);
  for (std::uint32_t i = 0; i < count; ++i) {
    const xdp_desc& frame = *::xsk_ring_cons__rx_desc(&p.rx, place++);
    p.taken[i] = frame.addr / kChunk * kChunk;
    p.received[i] = {p.memory.at(frame.addr), frame.len};
  }
  ::xsk_ring_cons__release(&p.rx, count);
  p.taken_count = count;
  return {p.received.data(), count};
}

int XdpSocket::begin_sending() {
  const int error = parts_->kick();
  parts_->collect_sent();
  return error == EAGAIN || error == EBUSY || error == ENOBUFS || error == EINTR ? 0 : error;
}

int XdpSocket::send(std::span<const std::uint8_t> frame) {
  Parts& p = *parts_;
  if (frame.size() > kLargestFrame) return EMSGSIZE;
  std::uint32_t place = 0;
  if (p.free.empty() || ::xsk_ring_prod__reserve(&p.tx, 1, &place) == 0) {
    ++p.tx_ring_full;
    return EAGAIN;
  }
  xdp_desc& described = *::xsk_ring_prod__tx_desc(&p.tx, place);
  described.addr = p.free.back();
  described.len = static_cast<std::uint32_t>(frame.size());
  described.options = 0;
  std::memcpy(p.memory.at(described.addr), frame.data(), frame.size());
  p.free.pop_back();
  ++p.in_kernel;
  ::xsk_ring_prod__submit(&p.tx, 1);
  return 0;
}

// The kernel sends 32 frames a call at most, and says EAGAIN when there are more.
bool XdpSocket::end_sending() {
  Parts& p = *parts_;
  for (std::size_t before = p.in_kernel + 1; p.in_kernel > 0 && p.in_kernel < before;) {
    before = p.in_kernel;
    if (::xsk_ring_prod__needs_wakeup(&p.tx) != 0) p.kick();
    p.collect_sent();
  }
  return p.in_kernel > 0;
}

XdpSocket::Counters XdpSocket::counters() const {
  xdp_statistics stats{};
  socklen_t size = sizeof stats;
  Counters counters;
  counters.tx_ring_full = parts_->tx_ring_full;
  if (::getsockopt(parts_->fd, SOL_XDP, XDP_STATISTICS, &stats, &size) != 0) return counters;
  counters.ring_full = stats.rx_ring_full;
  counters.dropped = stats.rx_dropped;
  counters.fill_ring_empty = stats.rx_fill_ring_empty_descs;
  counters.tx_invalid = stats.tx_invalid_descs;
  return counters;
}

bool XdpSocket::native() const { return parts_->program.native(); }

}  // namespace simcore

#endif
