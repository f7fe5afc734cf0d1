// SPDX-License-Identifier: MIT
#include "simcore/sys/guest_kernel.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "simcore/sys/checked_call.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

// Messages of the clock.
enum Clock : std::uint32_t { ack = 0, start = 1, wait = 3, run_until = 6, get_time_of_day = 8 };

struct ClockMessage {
  std::uint32_t operation;
  std::uint32_t sequence;
  std::uint64_t time;
};
static_assert(sizeof(ClockMessage) == 16);

// Requests of vhost-user; of those that set something that we do not need, only the answer.
enum Card : std::uint32_t {
  get_features = 1,
  vring_call = 4,  // ours
  set_mem_table = 5,
  set_vring_num = 8,
  set_vring_addr = 9,
  get_protocol_features = 15,
  set_vring_enable = 18,
  set_backend_request_fd = 21,
  vring_kick = 35,
};

constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kReply = 4;
constexpr std::uint32_t kNeedsReply = 8;
constexpr std::uint64_t kFeatures = std::uint64_t{1}
                                        << 15 |  // VIRTIO_NET_F_MRG_RXBUF: a frame may take several buffers
                                    std::uint64_t{1} << 32 |         // VIRTIO_F_VERSION_1
                                    std::uint64_t{1} << 30;          // VHOST_USER_F_PROTOCOL_FEATURES
constexpr std::uint64_t kProtocolFeatures = std::uint64_t{1} << 3 |  // REPLY_ACK
                                            std::uint64_t{1} << 5 |  // BACKEND_REQ
                                            std::uint64_t{1} << 14;  // INBAND_NOTIFICATIONS

struct CardHeader {
  std::uint32_t request;
  std::uint32_t flags;
  std::uint32_t size;
};
static_assert(sizeof(CardHeader) == 12);

struct CardAnswer {
  CardHeader header;
  std::uint32_t low;  // of a number of 64 bits, which is not aligned there
  std::uint32_t high;
};
static_assert(sizeof(CardAnswer) == 20);

constexpr std::size_t kLargestPayload = 512;
constexpr std::size_t kMostDescriptors = 8;
constexpr std::size_t kMostRegions = 8;
constexpr std::uint32_t kLargestRing = 32'768;

constexpr std::size_t kReceives = 0;
constexpr std::size_t kSends = 1;

struct RingDescriptor {
  std::uint64_t address;
  std::uint32_t length;
  std::uint16_t flags;
  std::uint16_t next;
};
static_assert(sizeof(RingDescriptor) == 16);
constexpr std::uint16_t kMore = 1;
constexpr std::uint16_t kWritable = 2;

constexpr std::size_t kFrameHeader = 12;  // struct virtio_net_hdr_v1: num_buffers is its last member
constexpr std::size_t kLargestFrame = 65'535 + 14 + 8;

constexpr std::uint32_t kPageVersion = 2;
constexpr std::size_t kPageHeader = 4'096;
constexpr std::size_t kPageClient = 128;
constexpr std::uint32_t kRequested = 1;  // in `flags`: it has something to do at `request`

void send_whole(int fd, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;  // it has ended, which the next reading says
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
}

template <class Message>
void send_message(int fd, const Message& message) {
  send_whole(fd, {reinterpret_cast<const std::uint8_t*>(&message), sizeof message});
}

template <class Value>
Value read_at(std::span<const std::uint8_t> bytes, std::size_t offset) {
  Value value{};
  if (offset + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace

// struct um_timetravel_schedshm, with one client: a page for each kernel, since the header is of one that runs at a time.
struct GuestKernel::Page {
  std::uint32_t version;
  std::uint32_t length;
  std::uint64_t free_until;
  std::uint64_t now;
  std::uint16_t running;
  std::uint16_t most_clients;
  std::array<std::uint8_t, kPageHeader - 28> unused;
  std::uint32_t capabilities;
  std::uint32_t flags;
  std::uint64_t request;
  std::uint64_t name;
};

GuestKernel::GuestKernel(std::string name, Sockets sockets, std::int64_t epoch_ns, Receiver& receiver)
    : name_(std::move(name)), listening_(std::move(sockets)), epoch_ns_(epoch_ns), receiver_(receiver) {}

GuestKernel::~GuestKernel() {
  for (const Region& region : regions_) ::munmap(region.start, region.mapped);
  if (page_ != nullptr) ::munmap(page_, kPageHeader + kPageClient);
}

std::uint64_t GuestKernel::now() const {
  return std::atomic_ref<std::uint64_t>(page_->now).load(std::memory_order_acquire);
}

std::int64_t GuestKernel::next_ns() const {
  if (ended_) return kNever;
  const bool requested = (std::atomic_ref<std::uint32_t>(page_->flags).load() & kRequested) != 0;
  if (!requested) return kNever;
  const std::uint64_t request = std::atomic_ref<std::uint64_t>(page_->request).load();
  if (request >= static_cast<std::uint64_t>(kNever)) return kNever;
  return static_cast<std::int64_t>(std::max(request, now()));
}

void GuestKernel::run(std::int64_t at, std::int64_t before) {
  if (ended_) return;
  std::atomic_ref<std::uint64_t>(page_->free_until).store(static_cast<std::uint64_t>(before));
  std::atomic_ref<std::uint64_t>(page_->now).store(static_cast<std::uint64_t>(at));
  ++counters_.runs;
  waiting_ = false;
  send_clock(run_until, ++sequence_, static_cast<std::uint64_t>(at));
  serve_until_waiting();
}

bool GuestKernel::deliver(std::int64_t at, std::span<const std::uint8_t> frame) {
  Ring& ring = rings_[kReceives];
  const std::size_t whole = kFrameHeader + frame.size();
  if (ended_ || !ring.enabled || !take_buffers(ring, whole)) {
    ++counters_.refused_frames;
    return false;
  }
  std::atomic_ref<std::uint64_t>(page_->now).store(static_cast<std::uint64_t>(at), std::memory_order_release);
  frame_.assign(kFrameHeader, 0);
  const auto buffers = static_cast<std::uint16_t>(buffers_.size());
  std::memcpy(frame_.data() + kFrameHeader - sizeof buffers, &buffers, sizeof buffers);
  frame_.insert(frame_.end(), frame.begin(), frame.end());
  std::size_t done = 0;
  auto piece = pieces_.begin();
  for (const Buffer& buffer : buffers_) {
    const std::size_t before = done;
    for (std::size_t i = 0; i < buffer.pieces; ++i, ++piece) {
      const std::size_t count = std::min(piece->size, whole - done);
      if (count != 0) std::memcpy(piece->memory, frame_.data() + done, count);
      done += count;
    }
    give_back(ring, buffer.head, static_cast<std::uint32_t>(done - before));
  }
  ++counters_.delivered_frames;
  if (wants_interrupt(ring)) interrupt(kReceives);
  return true;
}

// As many of the buffers that the kernel offers as `size` bytes need, into buffers_ and pieces_. False, and none is taken:
// there are not enough.
bool GuestKernel::take_buffers(Ring& ring, std::size_t size) {
  const std::uint16_t before = ring.next;
  const auto offered = load<std::uint16_t>(ring.available + 2);
  pieces_.clear();
  buffers_.clear();
  for (std::size_t room = 0; room < size;) {
    if (ring.next == offered) {
      ring.next = before;
      return false;
    }
    const std::size_t first = pieces_.size();
    const std::uint16_t head = head_of(ring);
    chain(ring, head, true);
    buffers_.push_back({.head = head, .pieces = pieces_.size() - first});
    for (std::size_t i = first; i < pieces_.size(); ++i) room += pieces_[i].size;
  }
  return true;
}

void GuestKernel::boot() {
  serve_until_waiting();
  booted_ = true;
}

void GuestKernel::serve_until_waiting() {
  while (!waiting_ && !ended_) {
    std::array<pollfd, 3> looked{
        pollfd{.fd = clock_.valid() ? clock_.get() : listening_.clock.get(), .events = POLLIN, .revents = 0},
        pollfd{.fd = card_.valid() ? card_.get() : listening_.card.get(), .events = POLLIN, .revents = 0},
        pollfd{.fd = process_.valid() ? process_.get() : -1, .events = POLLIN, .revents = 0}};
    if (::poll(looked.data(), looked.size(), -1) < 0) {
      if (errno == EINTR) continue;
      throw SystemError("wait for the kernel of " + name_, errno);
    }
    if (looked[0].revents != 0) {
      if (clock_.valid()) {
        serve_clock();
      } else {
        clock_ = FileDescriptor(checked(::accept4(listening_.clock.get(), nullptr, nullptr, SOCK_CLOEXEC),
                                        "take the clock of " + name_));
      }
    } else if (looked[1].revents != 0) {
      if (card_.valid()) {
        serve_card();
      } else {
        card_ = FileDescriptor(checked(::accept4(listening_.card.get(), nullptr, nullptr, SOCK_CLOEXEC),
                                       "take the card of " + name_));
      }
    } else if (looked[2].revents != 0) {
      end();
    }
  }
}

void GuestKernel::end() {
  ended_ = true;
  waiting_ = true;
}

bool GuestKernel::read_or_end(int fd, std::span<std::uint8_t> into) {
  while (!into.empty()) {
    const ssize_t got = ::recv(fd, into.data(), into.size(), MSG_WAITALL);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      end();
      return false;
    }
    into = into.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

void GuestKernel::send_clock(std::uint32_t operation, std::uint32_t sequence, std::uint64_t time) {
  send_message(clock_.get(), ClockMessage{.operation = operation, .sequence = sequence, .time = time});
}

void GuestKernel::serve_clock() {
  ClockMessage message{};
  if (!read_or_end(clock_.get(), {reinterpret_cast<std::uint8_t*>(&message), sizeof message})) return;
  switch (message.operation) {
    case ack:
      return;
    case start:
      return answer_start(message.sequence);
    case wait:
      waiting_ = true;
      return;
    case get_time_of_day:
      return send_clock(ack, message.sequence,
                        static_cast<std::uint64_t>(epoch_ns_) + (page_ == nullptr ? 0 : now()));
    default:
      return send_clock(ack, message.sequence, page_ == nullptr ? 0 : now());
  }
}

// The kernel takes two descriptors, whether it needs the second or not: its memory, and where it may write a log.
void GuestKernel::answer_start(std::uint32_t sequence) {
  const std::string attempt = "share the clock of " + name_;
  if (page_ != nullptr) throw EnvironmentError(attempt + ": it has been shared already");
  const FileDescriptor memory(checked(::memfd_create("clock", MFD_CLOEXEC), attempt));
  const FileDescriptor log(checked(::open("/dev/null", O_WRONLY | O_CLOEXEC), attempt));
  static_assert(sizeof(Page) <= kPageHeader + kPageClient);
  checked(::ftruncate(memory.get(), kPageHeader + kPageClient), attempt);
  void* const mapped =
      ::mmap(nullptr, kPageHeader + kPageClient, PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
  if (mapped == MAP_FAILED) throw SystemError(attempt, errno);
  page_ = static_cast<Page*>(mapped);
  page_->version = kPageVersion;
  page_->length = kPageHeader + kPageClient;
  page_->most_clients = 1;
  ClockMessage message{.operation = ack, .sequence = sequence, .time = 0};
  const std::array<int, 2> descriptors{memory.get(), log.get()};
  alignas(cmsghdr) std::array<std::uint8_t, CMSG_SPACE(sizeof descriptors)> control{};
  iovec part{.iov_base = &message, .iov_len = sizeof message};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  cmsghdr* const first = CMSG_FIRSTHDR(&header);
  first->cmsg_level = SOL_SOCKET;
  first->cmsg_type = SCM_RIGHTS;
  first->cmsg_len = CMSG_LEN(sizeof descriptors);
  std::memcpy(CMSG_DATA(first), descriptors.data(), sizeof descriptors);
  checked(::sendmsg(clock_.get(), &header, MSG_NOSIGNAL), attempt);
}

void GuestKernel::serve_card() {
  CardHeader header{};
  iovec part{.iov_base = &header, .iov_len = sizeof header};
  alignas(cmsghdr) std::array<std::uint8_t, CMSG_SPACE(kMostDescriptors * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t got = ::recvmsg(card_.get(), &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
  if (got < 0 && errno == EINTR) return;
  if (got != sizeof header) return end();
  std::array<int, kMostDescriptors> descriptors{};
  std::size_t count = 0;
  for (cmsghdr* each = CMSG_FIRSTHDR(&message); each != nullptr; each = CMSG_NXTHDR(&message, each)) {
    if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS) continue;
    count = (each->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    std::memcpy(descriptors.data(), CMSG_DATA(each), count * sizeof(int));
  }
  std::array<FileDescriptor, kMostDescriptors> owned;
  for (std::size_t i = 0; i < count; ++i) owned[i] = FileDescriptor(descriptors[i]);
  std::array<std::uint8_t, kLargestPayload> buffer{};
  if (header.size > buffer.size()) {
    throw EnvironmentError("the card of " + name_ + ": a message of " + std::to_string(header.size) +
                           " bytes");
  }
  const std::span<std::uint8_t> payload(buffer.data(), header.size);
  if (!read_or_end(card_.get(), payload)) return;
  const auto index = read_at<std::uint32_t>(payload, 0);
  const auto ring = [&]() -> Ring& {
    if (index < rings_.size()) return rings_[index];
    throw EnvironmentError("the card of " + name_ + " has no ring " + std::to_string(index));
  };
  std::uint64_t answer = 0;
  bool answers = (header.flags & kNeedsReply) != 0;
  switch (header.request) {
    case get_features:
      answer = kFeatures;
      answers = true;
      break;
    case get_protocol_features:
      answer = kProtocolFeatures;
      answers = true;
      break;
    case set_mem_table:
      map_memory(payload, std::span(descriptors).first(count));
      break;
    case set_vring_num: {
      const auto size = read_at<std::uint32_t>(payload, 4);
      if (size == 0 || size > kLargestRing || (size & (size - 1)) != 0) {
        throw EnvironmentError("the card of " + name_ + ": a ring of " + std::to_string(size));
      }
      ring().size = size;
      break;
    }
    case set_vring_addr:
      ring().descriptors = read_at<std::uint64_t>(payload, 8);
      ring().used = read_at<std::uint64_t>(payload, 16);
      ring().available = read_at<std::uint64_t>(payload, 24);
      ring().next = 0;
      break;
    case set_vring_enable:
      ring().enabled = read_at<std::uint32_t>(payload, 4) != 0 && ring().size != 0;
      break;
    case set_backend_request_fd:
      if (count != 0) requests_ = std::move(owned[0]);
      break;
    case vring_kick:
      if (index == kSends) take_sent();
      break;
    default:
      break;
  }
  if (!answers || ended_) return;
  send_message(card_.get(), CardAnswer{.header = {header.request, kVersion | kReply, 8},
                                       .low = static_cast<std::uint32_t>(answer),
                                       .high = static_cast<std::uint32_t>(answer >> 32)});
}

void GuestKernel::map_memory(std::span<const std::uint8_t> payload, std::span<const int> descriptors) {
  const std::string attempt = "map the memory of " + name_;
  const auto count = read_at<std::uint32_t>(payload, 0);
  if (count > kMostRegions || count > descriptors.size())
    throw EnvironmentError(attempt + ": too many regions");
  for (const Region& region : regions_) ::munmap(region.start, region.mapped);
  regions_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t entry =
        8 + i * 32;  // guest address, size, our address in its rings, offset in the file
    const auto size = read_at<std::uint64_t>(payload, entry + 8);
    const auto offset = read_at<std::uint64_t>(payload, entry + 24);
    void* const start = ::mmap(nullptr, size + offset, PROT_READ | PROT_WRITE, MAP_SHARED, descriptors[i], 0);
    if (start == MAP_FAILED) throw SystemError(attempt, errno);
    regions_.push_back({.address = read_at<std::uint64_t>(payload, entry + 16),
                        .size = size,
                        .memory = static_cast<std::uint8_t*>(start) + offset,
                        .mapped = size + offset,
                        .start = start});
  }
}

std::uint8_t* GuestKernel::at(std::uint64_t address, std::uint64_t size) {
  for (const Region& region : regions_) {
    if (address >= region.address && size <= region.size && address - region.address <= region.size - size) {
      return region.memory + (address - region.address);
    }
  }
  throw EnvironmentError("the card of " + name_ + " names memory that the kernel has not");
}

template <class Value>
Value GuestKernel::load(std::uint64_t address) {
  auto* const place = reinterpret_cast<Value*>(at(address, sizeof(Value)));
  return std::atomic_ref<Value>(*place).load(std::memory_order_acquire);
}

template <class Value>
void GuestKernel::store(std::uint64_t address, Value value) {
  auto* const place = reinterpret_cast<Value*>(at(address, sizeof(Value)));
  std::atomic_ref<Value>(*place).store(value, std::memory_order_release);
}

// The next chain that the kernel offers. Precondition: there is one.
std::uint16_t GuestKernel::head_of(Ring& ring) {
  return load<std::uint16_t>(ring.available + 4 + std::uint64_t{2} * (ring.next++ % ring.size));
}

// Appends the pieces of memory of a chain to pieces_.
void GuestKernel::chain(const Ring& ring, std::uint16_t head, bool writable) {
  std::uint16_t index = head;
  for (std::uint32_t links = 0;; ++links) {
    if (index >= ring.size || links > ring.size) {
      throw EnvironmentError("the card of " + name_ + ": a chain without end");
    }
    RingDescriptor descriptor{};
    std::memcpy(&descriptor, at(ring.descriptors + std::uint64_t{16} * index, sizeof descriptor),
                sizeof descriptor);
    if (((descriptor.flags & kWritable) != 0) != writable) {
      throw EnvironmentError("the card of " + name_ + ": a buffer of the wrong kind");
    }
    pieces_.push_back({.memory = at(descriptor.address, descriptor.length), .size = descriptor.length});
    if ((descriptor.flags & kMore) == 0) return;
    index = descriptor.next;
  }
}

void GuestKernel::give_back(const Ring& ring, std::uint16_t head, std::uint32_t length) {
  const auto place = load<std::uint16_t>(ring.used + 2);
  const std::uint64_t entry = ring.used + 4 + std::uint64_t{8} * (place % ring.size);
  store<std::uint32_t>(entry, head);
  store<std::uint32_t>(entry + 4, length);
  store<std::uint16_t>(ring.used + 2, static_cast<std::uint16_t>(place + 1));
}

bool GuestKernel::wants_interrupt(const Ring& ring) {
  return (load<std::uint16_t>(ring.available) & 1U) == 0;
}

void GuestKernel::take_sent() {
  Ring& ring = rings_[kSends];
  if (!ring.enabled) return;
  const auto at_ns = static_cast<std::int64_t>(now());
  bool any = false;
  while (load<std::uint16_t>(ring.available + 2) != ring.next) {
    const std::uint16_t head = head_of(ring);
    pieces_.clear();
    chain(ring, head, false);
    frame_.clear();
    for (const Piece& piece : pieces_) {
      if (frame_.size() + piece.size > kFrameHeader + kLargestFrame) {
        throw EnvironmentError("the card of " + name_ + ": a frame above " + std::to_string(kLargestFrame) +
                               " bytes");
      }
      frame_.insert(frame_.end(), piece.memory, piece.memory + piece.size);
    }
    give_back(ring, head, 0);
    any = true;
    ++counters_.sent_frames;
    if (frame_.size() > kFrameHeader) receiver_.take(at_ns, std::span(frame_).subspan(kFrameHeader));
  }
  if (any && wants_interrupt(ring)) interrupt(kSends);
}

// The kernel answers that it has noted it, and asks its clock meanwhile.
void GuestKernel::interrupt(std::uint32_t ring) {
  send_message(requests_.get(),
               CardAnswer{.header = {vring_call, kVersion | kNeedsReply, 8}, .low = ring, .high = 0});
  while (!ended_) {
    std::array<pollfd, 3> looked{
        pollfd{.fd = clock_.get(), .events = POLLIN, .revents = 0},
        pollfd{.fd = requests_.get(), .events = POLLIN, .revents = 0},
        pollfd{.fd = process_.valid() ? process_.get() : -1, .events = POLLIN, .revents = 0}};
    if (::poll(looked.data(), looked.size(), -1) < 0 && errno != EINTR) {
      throw SystemError("wait for the kernel of " + name_, errno);
    }
    if (looked[0].revents != 0) {
      serve_clock();
    } else if (looked[1].revents != 0) {
      CardAnswer answer{};
      read_or_end(requests_.get(), {reinterpret_cast<std::uint8_t*>(&answer), sizeof answer});
      return;
    } else if (looked[2].revents != 0) {
      return end();
    }
  }
}

}  // namespace simcore
