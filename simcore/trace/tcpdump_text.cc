// SPDX-License-Identifier: MIT
#include "simcore/trace/tcpdump_text.h"

#include <sstream>
#include <string_view>
#include <utility>

#include "simcore/packet/ethernet.h"
#include "simcore/packet/ipv4.h"
#include "simcore/packet/tcp.h"

namespace simcore {

namespace {

constexpr std::uint8_t kEnd = 0;
constexpr std::uint8_t kNoOperation = 1;
constexpr std::uint8_t kMaximumSegment = 2;
constexpr std::uint8_t kWindowScale = 3;
constexpr std::uint8_t kSackPermitted = 4;
constexpr std::uint8_t kTimestamps = 8;

std::string flags_of(const TcpHeader& tcp) {
  std::string flags;
  if (tcp.has(tcp_flag::kSyn)) flags += 'S';
  if (tcp.has(tcp_flag::kFin)) flags += 'F';
  if (tcp.has(tcp_flag::kPsh)) flags += 'P';
  if (tcp.has(tcp_flag::kRst)) flags += 'R';
  return flags.empty() ? "." : flags;
}

// "mss 1460,sackOK"; what this does not know is left out.
std::string options_of(std::span<const std::uint8_t> area) {
  std::string said;
  const auto say = [&said](std::string_view option, std::uint32_t value) {
    if (!said.empty()) said += ',';
    said.append(option).append(std::to_string(value));
  };
  while (!area.empty() && area[0] != kEnd) {
    if (area[0] == kNoOperation) {
      area = area.subspan(1);
      continue;
    }
    const std::size_t length = area.size() > 1 ? area[1] : 0;
    if (length < 2 || length > area.size()) break;
    if (area[0] == kMaximumSegment && length == 4) say("mss ", load_be16(&area[2]));
    if (area[0] == kWindowScale && length == 3) say("wscale ", area[2]);
    if (area[0] == kSackPermitted) said += said.empty() ? "sackOK" : ",sackOK";
    if (area[0] == kTimestamps && length == 10) say("timestamp ", load_be32(&area[2]));
    area = area.subspan(length);
  }
  return said;
}

}  // namespace

PacketSink& TcpdumpText::tap(PacketSink& next) {
  taps_.push_back(std::make_unique<Tap>(*this, next));
  return *taps_.back();
}

void TcpdumpText::Tap::accept(PacketPtr packet) {
  owner_.write(*packet);
  next_.accept(std::move(packet));
}

void TcpdumpText::write(const Packet& packet) {
  const auto ethernet = EthernetHeader::parse(packet.bytes());
  if (!ethernet || ethernet->ether_type() != EtherType::ipv4) return;
  const auto ip = Ipv4Header::parse(packet.bytes().subspan(ethernet->size()), packet.virtual_payload);
  if (!ip || ip->protocol() != ip_protocol::kTcp || ip->fragment_offset() != 0) return;
  const auto tcp = TcpHeader::parse(ip->payload());
  if (!tcp) return;

  const std::size_t bytes = ip->payload_length() - tcp->size();
  const bool counted = tcp->has(tcp_flag::kSyn) || tcp->has(tcp_flag::kFin);
  std::ostringstream line;
  line << ++lines_ << ' ' << ip->source().to_string() << '.' << tcp->source_port() << " > "
       << ip->destination().to_string() << '.' << tcp->destination_port() << ' ' << flags_of(*tcp);
  if (bytes > 0 || counted) {
    const std::uint32_t first = tcp->sequence();
    line << ' ' << first << ':' << first + static_cast<std::uint32_t>(bytes) << '(' << bytes << ')';
  }
  if (tcp->has(tcp_flag::kAck)) line << " ack " << tcp->acknowledgement();
  line << " win " << tcp->window();
  const std::string options = tcp->has(tcp_flag::kSyn) ? options_of(tcp->options()) : "";
  if (!options.empty()) line << " <" << options << '>';
  line << '\n';
  text_ += line.str();
}

}  // namespace simcore
