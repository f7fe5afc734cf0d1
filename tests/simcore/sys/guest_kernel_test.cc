// SPDX-License-Identifier: MIT
//
// What a kernel may say over its sockets, and what becomes of it when it lies or ends. That a real one is understood is
// tested with one, in tests/system/kernels_test.py.
#include "simcore/sys/guest_kernel.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "simcore/units/error.h"

namespace simcore {
namespace {

constexpr std::int64_t kEpoch = 1'000'000'000;

class Nobody final : public GuestKernel::Receiver {
 public:
  void take(std::int64_t at_ns, std::span<const std::uint8_t> frame) override {
    taken.emplace_back(at_ns, frame.size());
  }
  std::vector<std::pair<std::int64_t, std::size_t>> taken;
};

struct Message {
  std::uint32_t operation;
  std::uint32_t sequence;
  std::uint64_t time;
};

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  return address;
}

FileDescriptor listening_at(const std::string& path) {
  const sockaddr_un address = address_of(path);
  FileDescriptor fd(::socket(AF_UNIX, SOCK_STREAM, 0));
  EXPECT_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::listen(fd.get(), 1), 0);
  return fd;
}

// The kernel's side, as far as a test needs it.
class Client {
 public:
  explicit Client(const std::string& path) {
    const sockaddr_un address = address_of(path);
    fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~Client() { ::close(fd); }

  void say(std::uint32_t operation, std::uint64_t time = 0) const {
    const Message message{operation, 7, time};
    ASSERT_EQ(::send(fd, &message, sizeof message, MSG_NOSIGNAL), ssize_t{sizeof message});
  }
  Message hear() const {
    Message message{};
    EXPECT_EQ(::recv(fd, &message, sizeof message, MSG_WAITALL), ssize_t{sizeof message});
    return message;
  }
  // The answer to START, with the page.
  std::uint8_t* page() const {
    Message message{};
    iovec part{&message, sizeof message};
    alignas(cmsghdr) std::array<std::uint8_t, CMSG_SPACE(2 * sizeof(int))> control{};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    EXPECT_EQ(::recvmsg(fd, &header, 0), ssize_t{sizeof message});
    std::array<int, 2> descriptors{};
    std::memcpy(descriptors.data(), CMSG_DATA(CMSG_FIRSTHDR(&header)), sizeof descriptors);
    void* const start = ::mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, descriptors[0], 0);
    for (const int each : descriptors) ::close(each);
    return static_cast<std::uint8_t*>(start);
  }

  int fd;
  bool connected = false;
};

class GuestKernelTest : public testing::Test {
 protected:
  GuestKernelTest() {
    std::string name = std::filesystem::temp_directory_path() / "guest-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    kernel_.emplace("m1",
                    GuestKernel::Sockets{listening_at(folder_ + "/clock"), listening_at(folder_ + "/card")},
                    kEpoch, nobody_);
  }
  ~GuestKernelTest() override {
    kernel_.reset();
    std::filesystem::remove_all(folder_);
  }

  // Boots beside `kernel`, which has the clock's connection and the page, and has to wait in the end; then does `then`.
  void boot_beside(
      const std::function<void(Client&, std::uint8_t*)>& kernel, const std::function<void()>& then = [] {}) {
    std::thread other([&] {
      Client clock(folder_ + "/clock");
      ASSERT_TRUE(clock.connected);
      clock.say(1, 1);  // START
      std::uint8_t* const page = clock.page();
      kernel(clock, page);
      ::munmap(page, 8192);
    });
    kernel_->boot();
    then();
    other.join();
  }

  std::string folder_;
  Nobody nobody_;
  std::optional<GuestKernel> kernel_;
};

void request(std::uint8_t* page, std::uint64_t time) {
  const std::uint32_t flags = 1;
  std::memcpy(page + 4096 + 8, &time, sizeof time);
  std::memcpy(page + 4096 + 4, &flags, sizeof flags);
}

TEST_F(GuestKernelTest, SaysWhenItHasSomethingToDoAndIsGivenTheTimeUntilThen) {
  std::array<std::uint64_t, 2> given{};  // when it goes on, and until when
  boot_beside(
      [&given](Client& clock, std::uint8_t* page) {
        clock.say(8);  // GET_TOD
        EXPECT_EQ(clock.hear().time, static_cast<std::uint64_t>(kEpoch));
        request(page, 500);
        clock.say(3);  // WAIT
        given[0] = clock.hear().time;
        std::memcpy(&given[1], page + 8, sizeof given[1]);
        request(page, 950);
        clock.say(3);
      },
      [this] {
        EXPECT_EQ(kernel_->next_ns(), 500);
        kernel_->run(500, 900);
        EXPECT_EQ(kernel_->next_ns(), 950);
      });
  EXPECT_EQ(given, (std::array<std::uint64_t, 2>{500, 900}));
}

TEST_F(GuestKernelTest, WhoseProcessEndsBeforeItBeginsHasEnded) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(1);
  kernel_->started(FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, child, 0))));
  kernel_->boot();
  EXPECT_TRUE(kernel_->ended());
  EXPECT_EQ(kernel_->next_ns(), GuestKernel::kNever);
  ::waitpid(child, nullptr, 0);
}

TEST_F(GuestKernelTest, WhoseClockIsClosedHasEnded) {
  boot_beside([](Client&, std::uint8_t*) {});
  EXPECT_TRUE(kernel_->ended());
}

TEST_F(GuestKernelTest, WhoseCardHasNoBuffersRefusesFrames) {
  boot_beside([](Client& clock, std::uint8_t*) { clock.say(3); });
  const std::vector<std::uint8_t> frame(60);
  EXPECT_FALSE(kernel_->deliver(1, frame));
  EXPECT_EQ(kernel_->counters().refused_frames, 1U);
}

struct CardMessage {
  std::uint32_t request;
  std::uint32_t flags;
  std::uint32_t size;
  std::uint32_t index;
  std::uint32_t number;
};

// A message of the card that makes no sense is refused by name, and nothing is read where nothing is.
class Lies : public GuestKernelTest, public testing::WithParamInterface<CardMessage> {};

TEST_P(Lies, AreRefused) {
  std::thread other([this] {
    const Client card(folder_ + "/card");
    const CardMessage& message = GetParam();
    ::send(card.fd, &message, sizeof message, MSG_NOSIGNAL);
    std::array<std::uint8_t, 64> answer{};
    ::recv(card.fd, answer.data(), answer.size(), 0);
  });
  EXPECT_THROW(kernel_->boot(), EnvironmentError);
  kernel_.reset();  // which closes the connection
  other.join();
}

INSTANTIATE_TEST_SUITE_P(OfRings, Lies,
                         testing::Values(CardMessage{8, 1, 8, 0, 3},            // not a power of two
                                         CardMessage{8, 1, 8, 0, 1 << 20},      // too large
                                         CardMessage{8, 1, 8, 5, 256},          // no such ring
                                         CardMessage{1, 1, 4'000'000, 0, 0}));  // a message too long

}  // namespace
}  // namespace simcore
