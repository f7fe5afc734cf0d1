// SPDX-License-Identifier: MIT
#include "simcore/sys/tap_device.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>

#include "simcore/sys/capture_filter.h"
#include "simcore/sys/checked_call.h"
#include "simcore/sys/network_device.h"

namespace simcore {

namespace {

// Of Linux 6.2: UDP super-packets (TUN_F_USO4, TUN_F_USO6). Older headers do not have them.
constexpr unsigned kUdpTrains = 0x20 | 0x40;
constexpr unsigned kOffloads = TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6 | TUN_F_TSO_ECN;

FileDescriptor open_tun(const std::string& attempt) {
  const int fd = ::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 && (errno == ENOENT || errno == ENODEV)) {
    throw EnvironmentError(attempt + ": there is no /dev/net/tun; load the module: modprobe tun");
  }
  return FileDescriptor(checked(fd, attempt + ": open /dev/net/tun"));
}

}  // namespace

TapDevice::TapDevice(const std::string& device, const Options& options) : device_(device) {
  const std::string attempt = "make the TAP device " + device;
  if (device.empty() || device.size() >= IFNAMSIZ) {
    throw ConfigError(attempt + ": a device's name has 1 to 15 letters");
  }
  if (options.queue_frames < 1) {
    throw ConfigError(attempt + ": queue_frames is " + std::to_string(options.queue_frames) +
                      "; it must be at least 1");
  }
  made_ = ::if_nametoindex(device.c_str()) == 0;
  fd_ = open_tun(attempt);
  ifreq request{};
  device.copy(request.ifr_name, IFNAMSIZ - 1);
  request.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR;
  if (::ioctl(fd_.get(), TUNSETIFF, &request) < 0) {
    if (errno == EPERM) throw EnvironmentError(attempt + ": this needs CAP_NET_ADMIN; run as root");
    if (errno == EBUSY) throw EnvironmentError(attempt + ": another process has it; end that one");
    if (errno == EINVAL && !made_) {
      throw EnvironmentError(
          attempt +
          ": there is a device of this name that is not a TAP, or is one with several queues; choose "
          "another name, or: ip tuntap add dev " +
          device + " mode tap");
    }
    throw SystemError(attempt, errno);
  }
  set_offloads();
  if (!options.filter.empty()) {
    const CaptureFilter filter(options.filter, device);
    sock_fprog program{};
    program.len = static_cast<unsigned short>(filter.program().bf_len);
    program.filter = reinterpret_cast<sock_filter*>(filter.program().bf_insns);
    checked(::ioctl(fd_.get(), TUNATTACHFILTER, &program), "attach a capture filter to " + device);
  }
  set_device_queue(device, options.queue_frames);
  if (options.mtu) set_device_mtu(device, *options.mtu);
  if (made_) bring_up(device);
  drops_before_ = device_send_drops(device).value_or(0);
}

void TapDevice::set_offloads() {
  if (::ioctl(fd_.get(), TUNSETOFFLOAD, static_cast<unsigned long>(kOffloads | kUdpTrains)) == 0) return;
  udp_trains_ = false;
  checked(::ioctl(fd_.get(), TUNSETOFFLOAD, static_cast<unsigned long>(kOffloads)),
          "ask for super-packets at " + device_);
}

std::span<const VnetDevice::ReceivedFrame> TapDevice::receive(std::size_t most) {
  error_ = 0;
  std::size_t count = 0;
  for (most = std::min(most, kBatch); count < most; ++count) {
    ReceivedFrame& frame = received_[count];
    const std::array<iovec, 2> parts{
        {{&frame.header, sizeof frame.header}, {buffers_[count].data(), buffers_[count].size()}}};
    const ssize_t size = ::readv(fd_.get(), parts.data(), static_cast<int>(parts.size()));
    if (size < 0) {
      // What was received before is handed over first; the error comes again.
      if (errno != EAGAIN && errno != EINTR && count == 0) error_ = errno;
      break;
    }
    const auto all = static_cast<std::size_t>(size);
    frame.size = all > sizeof frame.header ? all - sizeof frame.header : 0;
    frame.realtime_ns = 0;
  }
  return {received_.data(), count};
}

VnetDevice::SendResult TapDevice::send(std::span<const OutgoingFrame> frames) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (const int error = send_one(frames[i]); error != 0) return {i, error == EINTR ? EAGAIN : error};
  }
  return {frames.size(), 0};
}

int TapDevice::send_one(const OutgoingFrame& frame) {
  // writev takes pointers to what it only reads as pointers to what it could write.
  const std::array<iovec, 3> parts{{{const_cast<VirtioNetHeader*>(&frame.header), sizeof frame.header},
                                    {const_cast<std::uint8_t*>(frame.bytes.data()), frame.bytes.size()},
                                    {const_cast<std::uint8_t*>(kZeroBytes.data()), frame.zeros}}};
  return ::writev(fd_.get(), parts.data(), frame.zeros > 0 ? 3 : 2) < 0 ? errno : 0;
}

std::uint64_t TapDevice::kernel_drops() {
  if (const auto drops = device_send_drops(device_)) drops_ = *drops - drops_before_;
  return drops_;
}

}  // namespace simcore
