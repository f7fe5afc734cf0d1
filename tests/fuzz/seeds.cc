// SPDX-License-Identifier: MIT
//
// Writes the inputs that the fuzzers start from: seeds DIRECTORY fills DIRECTORY/NAME_fuzz for each target. Good input
// of each kind, made with the code that makes it in earnest, so that the first checks do not hide what is behind them.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

#include "simcore/packet/virtio_net_fields.h"
#include "simcore/portal/peering_wire.h"
#include "simcore/trace/capture_writer.h"
#include "simcore/trace/record_writer.h"
#include "tests/simcore/packet/frames.h"
#include "tests/simcore/packet/frames6.h"

namespace simcore {
namespace {

using testing::Bytes;
using testing::Ends;

void append_be16(Bytes& bytes, std::size_t value) {
  bytes.push_back(static_cast<std::uint8_t>(value >> 8));
  bytes.push_back(static_cast<std::uint8_t>(value));
}

class Corpus {
 public:
  explicit Corpus(std::filesystem::path directory) : directory_(std::move(directory)) {
    std::filesystem::create_directories(directory_);
  }

  std::filesystem::path path(const std::string& name) const { return directory_ / name; }

  void add(const std::string& name, const Bytes& bytes) const {
    std::ofstream file(directory_ / name, std::ios::binary);
    file.exceptions(std::ios::failbit | std::ios::badbit);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }

 private:
  std::filesystem::path directory_;
};

// To the router of the fuzzed network, or through it to the host.
Ends ends(bool through) {
  Ends ends;
  ends.source_mac = MacAddress::of(0x02'0000'0000'09);
  ends.destination_mac = MacAddress::of(0x02'0000'0000'01);
  ends.source = Ipv4Address::parse("10.0.0.9");
  ends.destination = Ipv4Address::parse(through ? "10.0.1.2" : "10.0.0.1");
  return ends;
}

Bytes tcp(bool through, std::size_t payload) {
  const Ends e = ends(through);
  return testing::tcp_frame(e, testing::ipv4_fields(e, ip_protocol::kTcp), {1, 2, 3, 4, tcp_flag::kAck, 5},
                            testing::pattern(payload));
}

Bytes udp(bool through, std::size_t payload) {
  const Ends e = ends(through);
  return testing::udp_frame(e, testing::ipv4_fields(e, ip_protocol::kUdp), 1'000, 7,
                            testing::pattern(payload));
}

Bytes arp_request() {
  Bytes frame(14 + 28);
  write_ethernet(frame, MacAddress::broadcast(), MacAddress::of(0x02'0000'0000'09), EtherType::arp);
  const Bytes body = {0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 9, 10, 0, 0, 9, 0, 0, 0, 0, 0, 0, 10, 0, 0, 1};
  std::copy(body.begin(), body.end(), frame.begin() + 14);
  return frame;
}

// The same over IPv6, which a router and a host of their own speak.
testing::Ends6 ends6(bool through) {
  return {.source_mac = MacAddress::of(0x02'0000'0000'09),
          .destination_mac = MacAddress::of(0x02'0000'0000'61),
          .source = Ipv6Address::parse("2001:db8::9"),
          .destination = Ipv6Address::parse(through ? "2001:db8:1::2" : "2001:db8::1")};
}

Bytes tcp6(bool through, std::uint8_t flags, std::size_t payload) {
  const testing::Ends6 e = ends6(through);
  Bytes segment(TcpHeader::kSize);
  write_tcp(segment, {1'000, 7, 3, 4, flags, 500});
  const Bytes body = testing::pattern(payload);
  segment.insert(segment.end(), body.begin(), body.end());
  ChecksumSum sum;
  sum.add_pseudo_header(e.source, e.destination, ip_protocol::kTcp,
                        static_cast<std::uint32_t>(segment.size()));
  sum.add(segment);
  store_be16(segment.data() + TcpHeader::kChecksumOffset, sum.checksum());
  return testing::ipv6_frame(e, ip_protocol::kTcp, segment);
}

// With hop-by-hop options in front of an echo request.
Bytes ping6_with_options(bool through) {
  const Bytes plain = testing::ping6_frame(ends6(through), 1, testing::pattern(8));
  Bytes payload = {ip_protocol::kIcmpv6, 0, 5, 2, 0, 0, 0, 0};
  payload.insert(payload.end(), plain.begin() + 54, plain.end());
  return testing::ipv6_frame(ends6(through), 0, payload);
}

Bytes neighbour6(bool advertisement) {
  const testing::Ends6 e = ends6(false);
  return testing::neighbour_frame(e, {.advertisement = advertisement,
                                      .target = advertisement ? e.source : e.destination,
                                      .mac = e.source_mac,
                                      .solicited = advertisement,
                                      .overrides = advertisement});
}

// "Packet too big" about a segment that the host did not send.
Bytes too_big6() {
  const testing::Ends6 e = ends6(true);
  const Bytes quoted = testing::ipv6_frame({.source = e.destination, .destination = e.source},
                                           ip_protocol::kTcp, testing::pattern(20));
  Bytes message(Icmpv6Header::kSize);
  message.insert(message.end(), quoted.begin() + 14, quoted.end());
  write_icmpv6(message, Icmpv6Type::packet_too_big, 0, 1'280, {e.source, e.destination});
  return testing::ipv6_frame(e, ip_protocol::kIcmpv6, message);
}

Bytes described(const Bytes& frame, TrainKind train, std::size_t segment, std::size_t checksum_offset,
                std::size_t virtual_payload = 0, std::size_t checksum_start = 34) {
  Bytes input = {std::uint8_t{checksum_offset > 0}, static_cast<std::uint8_t>(train)};
  append_be16(input, checksum_offset > 0 ? checksum_start : 0);
  append_be16(input, checksum_offset);
  append_be16(input, segment);
  append_be16(input, virtual_payload);
  append_be16(input, 2);
  input.insert(input.end(), frame.begin(), frame.end());
  return input;
}

void fill_ipv6_frames(const Corpus& corpus) {
  constexpr std::size_t kTransport = 54;
  for (const bool through : {false, true}) {
    const std::string where = through ? "_through" : "_to";
    const testing::Ends6 e = ends6(through);
    corpus.add("ping6" + where,
               described(testing::ping6_frame(e, 1, testing::pattern(56)), TrainKind::none, 0, 0));
    corpus.add("options6" + where, described(ping6_with_options(through), TrainKind::none, 0, 0));
    corpus.add("syn6" + where, described(tcp6(through, tcp_flag::kSyn, 0), TrainKind::none, 0, 0));
    corpus.add("tcp6_train" + where,
               described(tcp6(through, tcp_flag::kAck, 950), TrainKind::tcp_ipv6, 200, 16, 0, kTransport));
    corpus.add("udp6" + where,
               described(testing::udp6_frame(e, 1'000, 7, testing::pattern(100)), TrainKind::none, 0, 0));
    corpus.add("udp6_big" + where,
               described(testing::udp6_frame(e, 1'000, 7, testing::pattern(1'400)), TrainKind::none, 0, 0));
    corpus.add("udp6_train" + where, described(testing::udp6_frame(e, 1'000, 7, testing::pattern(950)),
                                               TrainKind::udp, 200, 6, 0, kTransport));
  }
  corpus.add("solicitation", described(neighbour6(false), TrainKind::none, 0, 0));
  corpus.add("advertisement", described(neighbour6(true), TrainKind::none, 0, 0));
  corpus.add("too_big6", described(too_big6(), TrainKind::none, 0, 0));
}

void fill_frames(const Corpus& corpus) {
  for (const bool through : {false, true}) {
    const std::string where = through ? "_through" : "_to";
    corpus.add("ping" + where,
               described(testing::ping_frame(ends(through), 1, testing::pattern(56)), TrainKind::none, 0, 0));
    corpus.add("tcp" + where, described(tcp(through, 100), TrainKind::none, 0, 0));
    corpus.add("tcp_partial" + where, described(tcp(through, 100), TrainKind::none, 0, 16));
    corpus.add("tcp_train" + where, described(tcp(through, 950), TrainKind::tcp_ipv4, 200, 16));
    corpus.add("udp" + where, described(udp(through, 100), TrainKind::none, 0, 0));
    corpus.add("udp_train" + where, described(udp(through, 950), TrainKind::udp, 200, 6));
    Bytes headers = tcp(through, 950);
    headers.resize(54);
    corpus.add("tcp_virtual" + where, described(headers, TrainKind::tcp_ipv4, 200, 16, 950));
  }
  corpus.add("arp", described(arp_request(), TrainKind::none, 0, 0));
  fill_ipv6_frames(corpus);
}

Bytes sent(const Bytes& datagram, std::uint8_t help) {
  Bytes input = {help, 1};
  append_be16(input, datagram.size());
  input.insert(input.end(), datagram.begin(), datagram.end());
  return input;
}

template <class Header>
Bytes with_header(const Header& header, std::span<const std::uint8_t> payload = {}) {
  Bytes bytes(sizeof header);
  std::memcpy(bytes.data(), &header, sizeof header);
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

void fill_peering(const Corpus& corpus) {
  PacketPool pool;
  Bytes body;
  const PacketPtr single = pool.copy_of(udp(true, 60));
  peering::append_record(body, 0, 0, *single);
  const PacketPtr train = pool.copy_of(tcp(true, 950));
  train->segments = 5;
  train->segment_payload = 200;
  train->header_size = 54;
  train->train = TrainKind::tcp_ipv4;
  train->checksum_partial = true;
  train->checksum_start = 34;
  train->checksum_offset = 16;
  peering::append_record(body, 0, 1'000, *train);

  peering::PieceHeader header;
  header.segments = 6;
  const Bytes whole = with_header(header, body);
  corpus.add("batch", sent(whole, 3));
  header.batch = 1;
  Bytes two = sent(with_header(header, body), 3);  // waits for the one before it
  const Bytes first = sent(whole, 3);
  two.insert(two.end(), first.begin(), first.end());
  corpus.add("swapped_batches", two);

  header.batch = 0;
  header.datagram.piece_size = 600;
  header.body_size = header.raw_size = static_cast<std::uint32_t>(body.size());
  Bytes pieces;
  for (; header.index < header.pieces(); ++header.index) {
    const auto rest = std::span<const std::uint8_t>(body).subspan(header.offset());
    const Bytes piece = sent(with_header(header, rest.first(std::min<std::size_t>(rest.size(), 600))), 1);
    pieces.insert(pieces.end(), piece.begin(), piece.end());
  }
  corpus.add("pieces", pieces);

  header.index = 0;
  header.datagram.flags = peering::kCompressed;
  header.raw_size = 200;
  const Bytes block = {0x1f, 0, 1, 0, 170, 0x50, 0, 0, 0, 0, 0};  // LZ4: zeros
  corpus.add("compressed", sent(with_header(header, block), 3));

  peering::SyncMessage sync;
  sync.datagram.kind = peering::DatagramKind::sync_request;
  corpus.add("sync_request", sent(with_header(sync), 1));
  sync.datagram.kind = peering::DatagramKind::sync_reply;
  sync.request_received_ns = sync.reply_sent_ns = 40'000'000;
  corpus.add("sync_reply", sent(with_header(sync), 1));
}

// Steps: how, length, bytes.
void fill_seal(const Corpus& corpus) {
  corpus.add("words", {1, 0, 1, 0, 3, 0, 1, 0});
  corpus.add("replayed", {1, 0, 4, 1, 0, 20, 1, 0});
  corpus.add("changed", {1, 0, 0x14, 3, 9, 200, 0, 5, 3, 8, 1, 255});
  corpus.add("hello", {8, 16, 0, 0, 0, 0, 1, 1, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8});
}

void fill_text(const Corpus& corpus) {
  const auto add = [&corpus](const std::string& name, const std::string& text) {
    corpus.add(name, Bytes(text.begin(), text.end()));
  };
  add("mac", "02:00:00:00:00:01");
  add("mac_with_dashes", "02-00-00-00-00-01");
  add("ipv4", "10.0.0.1");
  add("prefix", "10.0.0.0/8");
  add("interface_address", "10.1.0.1/16");
  add("endpoint", "198.18.0.1:47000");
}

// A step of a segment that arrives: flags, shape, offsets of sequence and acknowledgement, window, length, options.
Bytes segment(std::uint8_t flags, std::uint8_t length, const Bytes& options = {}) {
  Bytes step = {0, flags, static_cast<std::uint8_t>(options.size() / 12 << 6), 0, 0, 0xff, 0xff, length};
  step.insert(step.end(), options.begin(), options.end());
  step.insert(step.end(), length, 0x33);
  return step;
}

void fill_tcp(const Corpus& corpus) {
  const auto talk = [](std::uint8_t how, std::initializer_list<Bytes> steps) {
    Bytes input = {1, how};
    for (const Bytes& step : steps) input.insert(input.end(), step.begin(), step.end());
    return input;
  };
  const Bytes offer = {2, 4, 5, 180, 1, 3, 3, 7, 1, 1, 4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1};
  const Bytes write = {7, 0x20, 0};
  const Bytes wait = {6};
  const Bytes read = {9, 0x10, 0};
  const Bytes close = {10};
  const Bytes syn_ack = segment(tcp_flag::kSyn | tcp_flag::kAck, 0);
  const Bytes ack = segment(tcp_flag::kAck, 0);
  const Bytes data = segment(tcp_flag::kAck | tcp_flag::kPsh, 100);
  const Bytes fin = segment(tcp_flag::kAck | tcp_flag::kFin, 0);
  corpus.add("connect_send", talk(0, {syn_ack, write, ack, wait, ack, close, ack, fin, wait}));
  corpus.add("connect_receive", talk(0, {syn_ack, data, read, data, wait, fin, read, close, ack}));
  corpus.add("offered",
             talk(0, {segment(tcp_flag::kSyn | tcp_flag::kAck, 0, offer), data, write, wait, wait}));
  corpus.add("listen", talk(1, {segment(tcp_flag::kSyn, 0), ack, data, read, fin, close, ack}));
  corpus.add("reset", talk(0, {syn_ack, write, segment(tcp_flag::kRst | tcp_flag::kAck, 0)}));
}

void fill_applications(const Corpus& corpus) {
  const auto text = [](std::uint8_t which, std::string_view rest) {
    Bytes input = {which};
    input.insert(input.end(), rest.begin(), rest.end());
    return input;
  };
  corpus.add("json", text(0, R"({"a":[1,-2.5e3,"\u00e9\n",true,null],"b":{}})"));
  const std::string requests =
      "GET /file HTTP/1.1\r\nHost: a\r\n\r\nHEAD /file?x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  corpus.add("requests", text(1, requests));
  corpus.add("http", text(2, requests));
  const auto step = [](std::uint8_t what, std::string_view said) {
    return std::string{static_cast<char>(what), static_cast<char>(said.size())} + std::string(said);
  };
  const std::string cookie = std::string(36, 'c') + '\0';
  const auto message = [](const std::string& json) {
    return std::string(3, '\0') + static_cast<char>(json.size()) + json;
  };
  const std::string wait = {3, 50};
  const std::string end =
      step(0, "\x04") + wait + step(0, message(R"({"streams":[]})")) + wait + step(0, "\x10");
  corpus.add("iperf3_tcp",
             text(3, step(0, cookie) + step(0, message(R"({"tcp":true,"time":1,"reverse":true})")) +
                         step(1, cookie) + wait + end));
  corpus.add("iperf3_udp", text(3, step(0, cookie) + step(0, message(R"({"udp":true,"time":1,"len":16})")) +
                                       step(2, "6789") + step(2, std::string(11, '\0') + "\x01") + end));
}

Bytes contents(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

PacketPtr tcp_train(PacketPool& pool) {
  PacketPtr train = pool.copy_of(tcp(true, 950));
  VirtioNetFields fields;
  fields.needs_checksum = true;
  fields.checksum_start = 34;
  fields.checksum_offset = 16;
  fields.train = TrainKind::tcp_ipv4;
  fields.gso_size = 200;
  if (!describe_frame(*train, fields)) throw std::logic_error("the seed's train is none");
  return train;
}

// Steps: what, and what it needs. A message of the controller: 1 (of OpenFlow 1.3) or 13 (1.0), type, length, body.
Bytes message(std::uint8_t what, std::uint8_t type, const Bytes& body) {
  Bytes step = {what, type, static_cast<std::uint8_t>(body.size())};
  step.insert(step.end(), body.begin(), body.end());
  return step;
}

Bytes joined(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

void fill_openflow(const Corpus& corpus) {
  constexpr std::uint8_t kHello = 0;
  constexpr std::uint8_t kFlowMod = 14;
  constexpr std::uint8_t kGroupMod = 15;
  constexpr std::uint8_t kMultipart = 18;
  constexpr std::uint8_t kMeterMod = 29;

  const Bytes secure = {0};
  const Bytes output = {0, 0, 0, 16, 0, 0, 0, 2, 0xff, 0xff, 0, 0, 0, 0, 0, 0};  // to port 2
  const Bytes to_group = {0, 22, 0, 8, 0, 0, 0, 1};                              // 1
  const Bytes any_frame = {0, 1, 0, 4, 0, 0, 0, 0};                              // a match without fields
  const Bytes at_port_4 = {0, 1, 0, 12, 0x80, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 0};
  const Bytes anyone = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};  // ports, groups
  const Bytes buffer = {0xff, 0xff, 0xff, 0xff};                          // none
  const Bytes flow = joined({Bytes(18), {0, 10, 0, 20, 0, 5}, buffer, anyone, {0, 1, 0, 0}});
  const Bytes metered = {0, 6, 0, 8, 0, 0, 0, 1};
  Bytes frame = {3, 60};  // at port 4
  const Bytes sent = udp(true, 32);
  frame.insert(frame.end(), sent.begin(), sent.end());
  const Bytes time = {4, 0xff, 0x7f};

  const Bytes hello = message(1, kHello, {});
  const Bytes meter =
      message(1, kMeterMod, {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 16, 0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0, 0});
  const Bytes group =
      message(1, kGroupMod, joined({{0, 0, 1, 0, 0, 0, 0, 1}, {0, 32, 0, 1}, anyone, Bytes(4), output}));
  const Bytes flows =
      message(1, kMultipart, joined({{0, 1, 0, 0, 0, 0, 0, 0, 0xff, 0, 0, 0}, anyone, Bytes(20), any_frame}));
  corpus.add("flow",
             joined({secure, hello,
                     message(1, kFlowMod, joined({flow, any_frame, {0, 4, 0, 24, 0, 0, 0, 0}, output})),
                     frame, flows, time, frame}));
  corpus.add(
      "group_and_meter",
      joined({secure, hello, meter, group,
              message(1, kFlowMod, joined({flow, at_port_4, metered, {0, 4, 0, 16, 0, 0, 0, 0}, to_group})),
              frame, flows, time, frame}));
  const Bytes flow10 = joined({{0, 0x3f, 0xff, 0xff},
                               Bytes(36),
                               Bytes(8),
                               {0, 0, 0, 10, 0, 20, 0, 5},
                               buffer,
                               {0xff, 0xff, 0, 1},
                               {0, 0, 0, 8, 0, 2, 0xff, 0xff}});
  corpus.add("flow_of_version_1_0",
             joined({secure, message(13, kHello, {}), message(13, kFlowMod, flow10), frame, time, frame}));
}

// Files are written as in earnest, and put where the fuzzer finds them.
void fill_captures(const Corpus& captures, const Corpus& records) {
  PacketPool pool;
  const PacketPtr train = tcp_train(pool);
  for (const std::string name : {"frames.pcap", "frames.pcapng"}) {
    const auto path = captures.path(name);
    const auto writer = make_capture_writer(path, "r1-eth1");
    writer->write(*pool.copy_of(udp(true, 60)), FrameDirection::inbound);
    writer->write(*train, FrameDirection::outbound);
    writer->close();
  }
  RecordWriter record(records.path("record.pcapng"), RecordWriter::Writing::at_once);
  record.add_interface("p1");
  record.begin("{}", 1'700'000'000'000'000'000);
  record.write(0, FrameDirection::inbound, *pool.copy_of(udp(true, 60)), SimTime::at_ns(1'000), 1'000);
  record.write_change("{}", SimTime::at_ns(2'000));
  record.write(0, FrameDirection::inbound, *train, SimTime::at_ns(3'000), 3'000);
  record.close(SimTime::at_ns(4'000), 4'000);
  captures.add("record.pcapng", contents(records.path("record.pcapng")));
}

void fill_traces(const Corpus& corpus) {
  const std::string text = "0\n1\n1\r\n7\n";
  corpus.add("trace", Bytes(text.begin(), text.end()));
}

}  // namespace
}  // namespace simcore

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: seeds DIRECTORY\n";
    return 2;
  }
  const std::filesystem::path directory = argv[1];
  simcore::fill_applications(simcore::Corpus(directory / "applications_fuzz"));
  simcore::fill_captures(simcore::Corpus(directory / "capture_fuzz"),
                         simcore::Corpus(directory / "record_fuzz"));
  simcore::fill_frames(simcore::Corpus(directory / "frames_fuzz"));
  simcore::fill_openflow(simcore::Corpus(directory / "openflow_fuzz"));
  simcore::fill_peering(simcore::Corpus(directory / "peering_fuzz"));
  simcore::fill_seal(simcore::Corpus(directory / "seal_fuzz"));
  simcore::fill_tcp(simcore::Corpus(directory / "tcp_fuzz"));
  simcore::fill_text(simcore::Corpus(directory / "text_fuzz"));
  simcore::fill_traces(simcore::Corpus(directory / "trace_fuzz"));
  return 0;
}
