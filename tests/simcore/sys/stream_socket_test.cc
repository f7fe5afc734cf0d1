// SPDX-License-Identifier: MIT
#include "simcore/sys/stream_socket.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>
#include <vector>

#include "simcore/sys/event_fd.h"
#include "simcore/units/error.h"
#include "tests/simcore/sys/stream_peer.h"

namespace simcore {
namespace {

using testing::comes_true;
using testing::free_path;
using testing::free_tcp_address;
using Bytes = std::vector<std::uint8_t>;

bool ready(int fd, short events, int timeout_ms = 10'000) {
  pollfd watched{fd, events, 0};
  return ::poll(&watched, 1, timeout_ms) == 1;
}

// All that has come, once it is `size` bytes.
Bytes read_all(StreamSocket& from, std::size_t size) {
  Bytes all;
  std::array<std::uint8_t, 4'096> some;
  while (all.size() < size && ready(from.fd(), POLLIN)) {
    const std::ptrdiff_t count = from.read(some);
    if (count < 0) break;
    all.insert(all.end(), some.begin(), some.begin() + count);
  }
  return all;
}

// What is written until the kernel takes no more.
std::size_t fill(StreamSocket& to) {
  const Bytes bytes(65'536);
  std::size_t written = 0;
  for (std::ptrdiff_t count = 1; count > 0; written += static_cast<std::size_t>(count)) {
    count = to.write(bytes);
    EXPECT_GE(count, 0);
  }
  return written;
}

// The text of the error that listening there throws.
template <class Error>
std::string why_not(const std::string& address) {
  try {
    const StreamListener listener(StreamAddress::parse(address));
  } catch (const Error& error) {
    return error.what();
  }
  return "it listens";
}

TEST(StreamAddress, an_ipv4_address_has_its_port_in_network_order) {
  const StreamAddress address = StreamAddress::parse("tcp:198.18.0.1:6653");
  const auto& v4 = *reinterpret_cast<const sockaddr_in*>(address.get());
  EXPECT_EQ(address.family(), AF_INET);
  EXPECT_EQ(address.size(), sizeof v4);
  EXPECT_EQ(ntohl(v4.sin_addr.s_addr), 198U << 24 | 18U << 16 | 1U);
  EXPECT_EQ(ntohs(v4.sin_port), 6653);
  EXPECT_EQ(address.text(), "tcp:198.18.0.1:6653");
}

TEST(StreamAddress, an_ipv6_address_is_in_brackets) {
  const StreamAddress address = StreamAddress::parse("tcp:[fd00::1]:65535");
  const auto& v6 = *reinterpret_cast<const sockaddr_in6*>(address.get());
  EXPECT_EQ(address.family(), AF_INET6);
  EXPECT_EQ(address.size(), sizeof v6);
  EXPECT_EQ(v6.sin6_addr.s6_addr[0], 0xfd);
  EXPECT_EQ(v6.sin6_addr.s6_addr[15], 1);
  EXPECT_EQ(ntohs(v6.sin6_port), 65'535);
}

TEST(StreamAddress, a_unix_path_fits_with_the_zero_behind_it) {
  const std::string longest(sizeof sockaddr_un{}.sun_path - 1, 'a');
  const StreamAddress address = StreamAddress::parse("unix:" + longest);
  EXPECT_EQ(address.family(), AF_UNIX);
  EXPECT_EQ(reinterpret_cast<const sockaddr_un*>(address.get())->sun_path, longest);
  EXPECT_THROW(StreamAddress::parse("unix:" + longest + "a"), ConfigError);
}

TEST(StreamAddress, everything_else_is_refused_by_its_text) {
  for (const std::string text : {"",
                                 "tcp",
                                 "tcp:",
                                 "tcp:1",
                                 "tcp::6653",
                                 "tcp:198.18.0.1",
                                 "tcp:198.18.0.1:",
                                 "tcp:198.18.0.1:0",
                                 "tcp:198.18.0.1:65536",
                                 "tcp:198.18.0.1:-1",
                                 "tcp:198.18.0.1:6653 ",
                                 "tcp:198.18.0:6653",
                                 "tcp:fd00::1:6653",
                                 "tcp:[fd00::1:6653",
                                 "tcp:[]:6653",
                                 "tcp:[198.18.0.1]:6653",
                                 "tcp:c0:6653",
                                 "ssl:198.18.0.1:6653",
                                 "198.18.0.1:6653",
                                 "unix:",
                                 "unix"}) {
    try {
      StreamAddress::parse(text);
      ADD_FAILURE() << text;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find("read address " + text + ":"), std::string::npos);
    }
  }
}

// Of TCP and of Unix sockets alike.
class StreamSocketTest : public ::testing::TestWithParam<bool> {
 protected:
  StreamSocketTest()
      : address(StreamAddress::parse(GetParam() ? free_tcp_address() : "unix:" + free_path())),
        listener(address) {}

  void connect() {
    near = StreamSocket::connect(address);
    ASSERT_TRUE(near);
    ASSERT_TRUE(ready(near->fd(), POLLOUT));
    EXPECT_FALSE(near->failed());
    ASSERT_TRUE(ready(listener.fd(), POLLIN));
    far = listener.accept();
    ASSERT_TRUE(far);
  }

  const StreamAddress address;
  StreamListener listener;
  std::optional<StreamSocket> near;
  std::optional<StreamSocket> far;
};

INSTANTIATE_TEST_SUITE_P(Sockets, StreamSocketTest, ::testing::Bool(),
                         [](const auto& kind) { return kind.param ? "tcp" : "unix"; });

TEST_P(StreamSocketTest, both_sides_hear_what_the_other_says_in_its_order) {
  connect();
  EXPECT_EQ(near->write(Bytes{1, 2, 3}), 3);
  EXPECT_EQ(near->write(Bytes{4}), 1);
  EXPECT_EQ(read_all(*far, 4), (Bytes{1, 2, 3, 4}));
  EXPECT_EQ(far->write(Bytes{5}), 1);
  EXPECT_EQ(read_all(*near, 1), Bytes{5});
}

TEST_P(StreamSocketTest, a_read_takes_no_more_than_fits_and_nothing_is_zero) {
  connect();
  EXPECT_EQ(near->write(Bytes{1, 2, 3}), 3);
  std::array<std::uint8_t, 2> two;
  ASSERT_TRUE(ready(far->fd(), POLLIN));
  EXPECT_EQ(far->read(two), 2);
  EXPECT_EQ(far->read(two), 1);
  EXPECT_EQ(two[0], 3);
  EXPECT_EQ(far->read(two), 0);
}

TEST_P(StreamSocketTest, who_reads_hears_the_rest_and_then_that_the_other_side_is_over) {
  connect();
  EXPECT_EQ(near->write(Bytes{1, 2, 3}), 3);
  near.reset();
  EXPECT_EQ(read_all(*far, 3), (Bytes{1, 2, 3}));
  ASSERT_TRUE(ready(far->fd(), POLLIN));
  std::array<std::uint8_t, 1> one;
  EXPECT_EQ(far->read(one), -1);
}

TEST_P(StreamSocketTest, writing_to_who_has_gone_says_so_and_raises_no_signal) {
  connect();
  EXPECT_EQ(near->write(Bytes{1}), 1);  // it goes without reading that: its end is a reset
  far.reset();
  EXPECT_TRUE(comes_true([this] { return near->write(Bytes{2}) < 0; }, [] {}));
}

TEST_P(StreamSocketTest, a_peer_that_does_not_read_is_waited_for_without_blocking) {
  connect();
  const std::size_t written = fill(*near);
  EXPECT_GT(written, 0U);
  EXPECT_FALSE(ready(near->fd(), POLLOUT, 0));
  EXPECT_EQ(read_all(*far, written).size(), written);
  EXPECT_TRUE(ready(near->fd(), POLLOUT));
  EXPECT_EQ(near->write(Bytes{1}), 1);
}

TEST_P(StreamSocketTest, nobody_to_accept_is_no_error) { EXPECT_FALSE(listener.accept()); }

TEST_P(StreamSocketTest, where_nobody_listens_any_more_no_connection_is_made) {
  const StreamAddress other = StreamAddress::parse(GetParam() ? free_tcp_address() : "unix:" + free_path());
  { const StreamListener gone(other); }
  const auto refused = StreamSocket::connect(other);  // of TCP the refusal may come later
  EXPECT_TRUE(!refused || (ready(refused->fd(), POLLOUT) && refused->failed()));
}

TEST_P(StreamSocketTest, an_address_is_taken_while_somebody_listens_and_free_afterwards) {
  EXPECT_NE(why_not<EnvironmentError>(address.text()).find("listen at " + address.text()), std::string::npos);
  connect();  // the first is not disturbed
  const std::string other = GetParam() ? free_tcp_address() : "unix:" + free_path();
  for (int time = 0; time < 2; ++time) {
    StreamListener again(StreamAddress::parse(other));
    const auto made = StreamSocket::connect(StreamAddress::parse(other));
    ASSERT_TRUE(ready(again.fd(), POLLIN));
    EXPECT_TRUE(again.accept());  // whose port TCP still remembers when it has closed first
  }
}

TEST(StreamSocket, what_is_said_by_tcp_leaves_at_once) {
  const StreamAddress address = StreamAddress::parse(free_tcp_address());
  StreamListener listener(address);
  const auto near = StreamSocket::connect(address);
  ASSERT_TRUE(near);
  ASSERT_TRUE(ready(listener.fd(), POLLIN));
  const auto far = listener.accept();
  for (const int fd : {near->fd(), far->fd()}) {
    int no_delay = 0;
    socklen_t size = sizeof no_delay;
    ASSERT_EQ(::getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &no_delay, &size), 0);
    EXPECT_NE(no_delay, 0);
  }
}

TEST(StreamListener, an_address_of_another_computer_is_an_error_of_the_system) {
  EXPECT_NE(why_not<SystemError>("tcp:192.0.2.1:6653").find("listen at tcp:192.0.2.1:6653"),
            std::string::npos);
  EXPECT_NE(why_not<SystemError>("unix:/nonexistent/s1.sock").find("listen at unix:/nonexistent/s1.sock"),
            std::string::npos);
}

TEST(StreamListener, a_unix_socket_is_there_as_long_as_it_is_listened_at) {
  const std::string path = free_path();
  {
    const StreamListener listener(StreamAddress::parse("unix:" + path));
    EXPECT_TRUE(std::filesystem::is_socket(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(StreamListener, a_unix_socket_that_was_left_behind_is_replaced) {
  const std::string path = free_path();
  const StreamAddress address = StreamAddress::parse("unix:" + path);
  {
    const FileDescriptor left(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::bind(left.get(), address.get(), address.size()), 0);
  }
  ASSERT_TRUE(std::filesystem::is_socket(path));
  const StreamListener listener(address);
  EXPECT_TRUE(StreamSocket::connect(address));
}

TEST(StreamListener, a_file_that_is_no_socket_is_kept) {
  const std::string path = free_path();
  std::ofstream(path) << "notes";
  EXPECT_NE(why_not<EnvironmentError>("unix:" + path).find("not a socket"), std::string::npos);
  std::string text;
  std::ifstream(path) >> text;
  EXPECT_EQ(text, "notes");
  std::filesystem::remove(path);
}

TEST(StreamListener, a_unix_socket_whose_queue_is_full_takes_no_more_and_is_not_replaced) {
  const StreamAddress address = StreamAddress::parse("unix:" + free_path());
  StreamListener listener(address);
  std::vector<StreamSocket> waiting;
  while (waiting.size() < 1'000) {
    auto socket = StreamSocket::connect(address);
    if (!socket) break;
    waiting.push_back(std::move(*socket));
  }
  ASSERT_LT(waiting.size(), 1'000U);
  EXPECT_NE(why_not<EnvironmentError>(address.text()).find("listens there already"), std::string::npos);
  EXPECT_TRUE(listener.accept());
  EXPECT_TRUE(StreamSocket::connect(address));  // there is room for one again
}

class StreamWatchTest : public ::testing::Test {
 protected:
  StreamWatchTest() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
    near.emplace(FileDescriptor(ends[0]));
    far.emplace(FileDescriptor(ends[1]));
  }
  // What is ready of a watch that has one socket.
  std::pair<bool, bool> look() {
    const auto& all = watch.look();
    if (all.empty()) return {false, false};
    EXPECT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].tag, 1U << 20);
    return {all[0].readable, all[0].writable};
  }

  std::optional<StreamSocket> near;
  std::optional<StreamSocket> far;
  StreamWatch watch;
};

TEST_F(StreamWatchTest, it_tells_by_tags_what_is_watched_for_and_nothing_else) {
  watch.watch(near->fd(), 1U << 20, true, false);
  EXPECT_EQ(look(), std::make_pair(false, false));
  EXPECT_FALSE(ready(watch.fd(), POLLIN, 0));
  far->write(Bytes{1});
  EXPECT_TRUE(ready(watch.fd(), POLLIN, 0));
  EXPECT_EQ(look(), std::make_pair(true, false));
  watch.change(near->fd(), 1U << 20, true, true);
  EXPECT_EQ(look(), std::make_pair(true, true));
  watch.change(near->fd(), 1U << 20, false, true);
  EXPECT_EQ(look(), std::make_pair(false, true));
  watch.unwatch(near->fd());
  EXPECT_EQ(look(), std::make_pair(false, false));
}

TEST_F(StreamWatchTest, an_end_is_told_to_who_watches_for_anything_or_nothing) {
  watch.watch(near->fd(), 1U << 20, false, false);
  far.reset();
  EXPECT_EQ(look(), std::make_pair(true, true));
}

TEST_F(StreamWatchTest, of_more_than_a_look_tells_the_others_are_told_next) {
  std::vector<EventFd> events(200);
  for (std::size_t at = 0; at < events.size(); ++at) {
    events[at].signal();
    watch.watch(events[at].fd(), at, true, false);
  }
  std::set<std::uint64_t> told;
  std::size_t most = 0;
  for (int look = 0; look < 10; ++look) {
    most = std::max(most, watch.look().size());
    for (const auto& each : watch.look()) told.insert(each.tag);
  }
  EXPECT_LT(most, events.size());
  EXPECT_EQ(told.size(), events.size());
}

TEST_F(StreamWatchTest, a_descriptor_is_watched_once) {
  watch.watch(near->fd(), 1, true, false);
  EXPECT_THROW(watch.watch(near->fd(), 2, true, false), SystemError);
  EXPECT_THROW(watch.change(far->fd(), 3, true, false), SystemError);
}

}  // namespace
}  // namespace simcore
