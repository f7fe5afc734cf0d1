// SPDX-License-Identifier: MIT
#include "simcore/sys/packet_socket.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "simcore/sys/checked_call.h"
#include "simcore/sys/network_device.h"

namespace simcore {

namespace {

constexpr std::size_t kMacs = 12;  // bytes in front of the VLAN tag
constexpr int kOn = 1;

template <class Value>
void set_option(int fd, int level, int name, const Value& value, const std::string& attempt) {
  checked(::setsockopt(fd, level, name, &value, sizeof value), attempt);
}

FileDescriptor open_socket(const std::string& device) {
  // Protocol 0: nothing is captured before bind(), so no frame of another device gets in.
  const int fd = ::socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0 && errno == EPERM) {
    throw EnvironmentError("open a packet socket on " + device + ": this needs CAP_NET_RAW; run as root");
  }
  return FileDescriptor(checked(fd, "open a packet socket on " + device));
}

// The kernel grants less than asked for, silently, unless the privileged option is allowed.
int set_receive_buffer(int fd, int bytes) {
  if (::setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0) {
    set_option(fd, SOL_SOCKET, SO_RCVBUF, bytes, "set the receive buffer of a packet socket");
  }
  int granted = 0;
  socklen_t size = sizeof granted;
  checked(::getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &granted, &size),
          "read the receive buffer of a packet socket");
  return granted / 2;
}

struct VlanTag {
  std::uint16_t protocol;  // host order
  std::uint16_t control;
};

// Opens a gap behind the MAC addresses and writes the tag there.
void restore_tag(std::span<std::uint8_t> buffer, std::size_t size, VlanTag tag) {
  std::memmove(&buffer[kMacs + PacketSocket::kVlanTag], &buffer[kMacs], size - kMacs);
  const std::uint16_t fields[2] = {htons(tag.protocol), htons(tag.control)};
  std::memcpy(&buffer[kMacs], fields, sizeof fields);
}

}  // namespace

PacketSocket::PacketSocket(const std::string& device, const Options& options) : fd_(open_socket(device)) {
  configure(device, options);
  for (std::size_t i = 0; i < kBatch; ++i) {
    in_parts_[i][0] = {&in_headers_[i], sizeof in_headers_[i]};
    in_[i].msg_hdr.msg_iov = in_parts_[i].data();
    in_[i].msg_hdr.msg_iovlen = in_parts_[i].size();
    out_[i].msg_hdr.msg_iov = out_parts_[i].data();
  }
}

void PacketSocket::configure(const std::string& device, const Options& options) {
  const int fd = fd_.get();
  const int index = device_index(device);
  set_option(fd, SOL_PACKET, PACKET_VNET_HDR, kOn, "ask for the virtio-net header on " + device);
  set_option(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, kOn, "ignore outgoing frames on " + device);
  set_option(fd, SOL_PACKET, PACKET_AUXDATA, kOn, "ask for VLAN tags on " + device);
  set_option(fd, SOL_SOCKET, SO_TIMESTAMPNS, kOn, "ask for timestamps on " + device);
  receive_buffer_bytes_ = set_receive_buffer(fd, options.receive_buffer_bytes);
  if (!options.filter.empty()) CaptureFilter(options.filter, device).attach_to(fd);

  packet_mreq membership{};
  membership.mr_ifindex = index;
  // Frames for hosts behind the simulated network are not for the device.
  membership.mr_type = PACKET_MR_PROMISC;
  set_option(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, membership, "make " + device + " promiscuous");

  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = index;
  checked(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), "capture at " + device);
}

std::span<const VnetDevice::ReceivedFrame> PacketSocket::receive(std::size_t most) {
  most = std::min(most, kBatch);
  for (std::size_t i = 0; i < most; ++i) {
    in_parts_[i][1] = {buffers_[i].data(), buffers_[i].size() - kVlanTag};
    in_[i].msg_hdr.msg_control = control_[i].bytes.data();
    in_[i].msg_hdr.msg_controllen = control_[i].bytes.size();
  }
  // MSG_TRUNC: report the whole length of a frame that the buffer could not hold.
  const int count =
      ::recvmmsg(fd_.get(), in_.data(), static_cast<unsigned>(most), MSG_DONTWAIT | MSG_TRUNC, nullptr);
  if (count < 0) {
    error_ = errno == EAGAIN || errno == EINTR ? 0 : errno;
    return {};
  }
  error_ = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) received_[i] = take(i);
  return {received_.data(), static_cast<std::size_t>(count)};
}

VnetDevice::ReceivedFrame PacketSocket::take(std::size_t slot) {
  const std::size_t size =
      in_[slot].msg_len > sizeof(VirtioNetHeader) ? in_[slot].msg_len - sizeof(VirtioNetHeader) : 0;
  ReceivedFrame frame{size, in_headers_[slot], 0};
  msghdr& message = in_[slot].msg_hdr;
  for (cmsghdr* control = CMSG_FIRSTHDR(&message); control != nullptr;
       control = CMSG_NXTHDR(&message, control)) {
    if (control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_TIMESTAMPNS) {
      timespec stamp;
      std::memcpy(&stamp, CMSG_DATA(control), sizeof stamp);
      frame.realtime_ns = static_cast<std::int64_t>(stamp.tv_sec) * 1'000'000'000 + stamp.tv_nsec;
    } else if (control->cmsg_level == SOL_PACKET && control->cmsg_type == PACKET_AUXDATA) {
      tpacket_auxdata data;
      std::memcpy(&data, CMSG_DATA(control), sizeof data);
      if ((data.tp_status & TP_STATUS_VLAN_VALID) == 0 || size < kMacs) continue;
      const bool kind_known = (data.tp_status & TP_STATUS_VLAN_TPID_VALID) != 0;
      const VlanTag tag{kind_known ? data.tp_vlan_tpid : std::uint16_t{ETH_P_8021Q}, data.tp_vlan_tci};
      const std::size_t stored = std::min(size, buffers_[slot].size() - kVlanTag);
      restore_tag(buffers_[slot], stored, tag);
      frame.size += kVlanTag;
      if ((frame.header.flags & VirtioNetHeader::kNeedsChecksum) != 0) {
        frame.header.csum_start = static_cast<std::uint16_t>(frame.header.csum_start + kVlanTag);
      }
      if (frame.header.gso_type != VirtioNetHeader::kGsoNone) {
        frame.header.hdr_len = static_cast<std::uint16_t>(frame.header.hdr_len + kVlanTag);
      }
    }
  }
  return frame;
}

VnetDevice::SendResult PacketSocket::send(std::span<const OutgoingFrame> frames) {
  const std::size_t count = std::min(frames.size(), kBatch);
  for (std::size_t i = 0; i < count; ++i) {
    const OutgoingFrame& frame = frames[i];
    assert(frame.zeros <= kZeros);
    // sendmsg takes pointers to what it only reads as pointers to what it could write.
    out_parts_[i][0] = {const_cast<VirtioNetHeader*>(&frame.header), sizeof frame.header};
    out_parts_[i][1] = {const_cast<std::uint8_t*>(frame.bytes.data()), frame.bytes.size()};
    out_parts_[i][2] = {const_cast<std::uint8_t*>(kZeroBytes.data()), frame.zeros};
    out_[i].msg_hdr.msg_iovlen = frame.zeros > 0 ? 3 : 2;
  }
  const int sent = ::sendmmsg(fd_.get(), out_.data(), static_cast<unsigned>(count), MSG_DONTWAIT);
  if (sent >= 0) return {static_cast<std::size_t>(sent), 0};
  return {0, errno == EINTR ? EAGAIN : errno};
}

std::uint64_t PacketSocket::kernel_drops() {
  tpacket_stats fresh{};  // since the last time it was asked for
  socklen_t size = sizeof fresh;
  if (::getsockopt(fd_.get(), SOL_PACKET, PACKET_STATISTICS, &fresh, &size) == 0)
    kernel_drops_ += fresh.tp_drops;
  return kernel_drops_;
}

}  // namespace simcore
