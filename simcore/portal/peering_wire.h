// SPDX-License-Identifier: MIT
//
// The wire format of a peering portal. Pure: bytes in, values out.
//
// Packets travel in batches. The body of a batch is a run of records, one per packet or train, possibly
// compressed as a whole (LZ4 block); it is carried in pieces, each a UDP datagram that fits the fabric's MTU:
//
//   datagram of a piece
//   +------------------------------------------------------------+
//   | "HNP" version | kind | flags | piece size | token | session |  24 bytes
//   +------------------------------------------------------------+
//   | batch number | base time | first segment | segments        |  40 bytes
//   | body size | raw size | index | 0                           |
//   +------------------------------------------------------------+
//   | bytes [index * piece size, + piece size) of body           |
//   +------------------------------------------------------------+
//
//   body of a batch:  | record | stored bytes | record | stored bytes | ...
//
//   record, 32 bytes
//   +------------------------------------------------------------+
//   | channel | departure - base time, ns                        |
//   | last - first segment, ns | stored bytes | virtual payload  |
//   | segments | segment payload | header size | train           |
//   | checksum partial | checksum start | checksum offset        |
//   +------------------------------------------------------------+
//
//   datagram of clock synchronization
//   +------------------------------------------------------------+
//   | "HNP" version | kind | flags | 0 | token | session         |  24 bytes
//   | segments and batches sent in lane 0, in lane 1             |  32 bytes
//   | request sent | request received | reply sent | clock zero  |  32 bytes
//   +------------------------------------------------------------+
//
// `first segment` counts the segments in all batches before this one and `segments` those in it, so a
// receiver knows exactly how many were lost, whichever pieces it saw; a synchronization datagram says how
// many there are by now. Times are SimTime of the sender, in nanoseconds; `clock zero` is CLOCK_MONOTONIC at its SimTime
// zero, for a peer that reads the same clock. Integers are little-endian.
//
// The token is the run's: it keeps the datagrams of another run apart. The session is a number that an instance draws when
// it starts: one that returns counts its batches anew, and is not taken for late. Neither is a proof of origin.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"
#include "simcore/units/time.h"

namespace simcore::peering {

enum class DatagramKind : std::uint8_t { piece = 1, sync_request = 2, sync_reply = 3 };

constexpr std::uint8_t kCompressed = 1;    // flag of a piece: the body is an LZ4 block
constexpr std::uint8_t kSynchronized = 1;  // flag of a synchronization: the sender knows the receiver's clock

struct DatagramHeader {
  std::uint32_t magic = 0;
  DatagramKind kind = DatagramKind::piece;
  std::uint8_t flags = 0;
  std::uint16_t piece_size = 0;  // bytes of body in every piece but the last; 0 in a synchronization
  std::uint64_t token = 0;
  std::uint64_t session = 0;  // the sender's; not 0
};

struct PieceHeader {
  DatagramHeader datagram;
  std::uint64_t batch = 0;          // consecutive from 0
  std::int64_t base_time_ns = 0;    // the earliest departure in the batch
  std::uint64_t first_segment = 0;  // segments in all batches before
  std::uint32_t segments = 0;       // in this batch; at least 1
  std::uint32_t body_size = 0;      // as carried
  std::uint32_t raw_size = 0;       // when decompressed
  std::uint16_t index = 0;
  std::uint16_t zero = 0;

  std::size_t pieces() const {
    return (body_size + datagram.piece_size - std::size_t{1}) / datagram.piece_size;
  }
  std::size_t offset() const { return std::size_t{index} * datagram.piece_size; }
  bool compressed() const { return (datagram.flags & kCompressed) != 0; }
  // Whether `other` heads a piece of the same batch and says the same about it.
  bool same_batch(const PieceHeader& other) const;
};

// A portal has one lane, or two: then the second has what need not hurry. Each numbers its batches itself.
constexpr std::size_t kLanes = 2;

struct LaneSent {
  std::uint64_t segments = 0;
  std::uint64_t batches = 0;
};

struct SyncMessage {
  DatagramHeader datagram;
  std::array<LaneSent, kLanes> sent;     // by the sender of this message, so far
  std::int64_t request_sent_ns = 0;      // clock of whoever asks
  std::int64_t request_received_ns = 0;  // clock of whoever answers; 0 in a request
  std::int64_t reply_sent_ns = 0;        // likewise
  std::int64_t clock_zero_ns = 0;        // of the sender; 0: not told
};

struct Record {
  std::uint32_t channel = 0;
  std::uint32_t departure_ns = 0;   // after the batch's base time: of the first segment
  std::uint32_t train_span_ns = 0;  // from the first segment's departure to the last one's
  std::uint32_t stored_size = 0;    // bytes that follow
  std::uint32_t virtual_payload = 0;
  std::uint16_t segments = 1;
  std::uint16_t segment_payload = 0;
  std::uint16_t header_size = 0;
  TrainKind train = TrainKind::none;
  std::uint8_t checksum_partial = 0;
  std::uint16_t checksum_start = 0;
  std::uint16_t checksum_offset = 0;
};

static_assert(sizeof(DatagramHeader) == 24 && sizeof(PieceHeader) == 64 && sizeof(SyncMessage) == 88 &&
              sizeof(Record) == 32);

constexpr std::uint32_t kMagic = 'H' | 'N' << 8 | 'P' << 16 | 2 << 24;  // the last byte is the version
constexpr std::size_t kLargestBody = sizeof(Record) + PacketPool::kLargestFrame;
constexpr std::size_t kMostPieces = 144;
constexpr std::size_t kSealBytes = 32;  // what sealing adds to a datagram
constexpr std::size_t kSmallestDatagram = 576 - kSealBytes;
static_assert(kLargestBody <= kMostPieces * (kSmallestDatagram - sizeof(PieceHeader)));

// The header of `datagram`, or none when it is not one of ours, truncated, or contradicts itself or
// its length. What is returned is safe to use: piece within the body, body within kLargestBody,
// pieces within kMostPieces.
std::optional<DatagramHeader> read_datagram(std::span<const std::uint8_t> datagram);
std::optional<PieceHeader> read_piece(std::span<const std::uint8_t> datagram);
std::optional<SyncMessage> read_sync(std::span<const std::uint8_t> datagram);

// The part of the body that a piece carries. Precondition: read_piece(datagram) gave a header.
inline std::span<const std::uint8_t> payload_of(std::span<const std::uint8_t> piece) {
  return piece.subspan(sizeof(PieceHeader));
}

// Appends `packet` to `body`: its first segment departs `departure_ns` after the batch's base time.
void append_record(std::vector<std::uint8_t>& body, std::uint32_t channel, std::uint32_t departure_ns,
                   const Packet& packet);

// Takes a body apart, record by record.
class RecordReader {
 public:
  explicit RecordReader(std::span<const std::uint8_t> body) : rest_(body) {}

  // The next record, or none at the end or at one that contradicts itself or the body's length. Whether it
  // agrees with the frame that it describes is for describe_packet() to say.
  std::optional<Record> next();
  // The stored bytes of the record that next() returned.
  std::span<const std::uint8_t> stored() const { return stored_; }
  // Nothing is left: the body was well-formed.
  bool at_end() const { return rest_.empty(); }

 private:
  std::span<const std::uint8_t> rest_;
  std::span<const std::uint8_t> stored_;
};

// Describes `packet`, which holds the stored bytes of `record`, as `record` says; arrival instants are not
// set. False when that contradicts the frame: UDP's checksum lets some damage through, and whoever takes a
// train apart trusts its description. The packet is then to be dropped as malformed. Only trains and partial
// checksums cost a look at the frame's headers, once, however many segments there are.
[[nodiscard]] bool describe_packet(Packet& packet, const Record& record);

}  // namespace simcore::peering
