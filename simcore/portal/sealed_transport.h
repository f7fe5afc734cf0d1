// SPDX-License-Identifier: MIT
//
// SealedTransport: another transport, whose datagrams it seals: without the run's key nothing enters, nothing that comes
// twice enters twice, and nobody reads along. What is refused is counted by reason.
//
//   hello
//   +------------------------------------------------------------+
//   | "HNS" version | kind | wants an answer | 0 0               |  8 bytes
//   | number of the sender | number of the receiver, or zeros    |  32 bytes
//   | HMAC-SHA256 of these, cut to 16 bytes                      |
//   +------------------------------------------------------------+
//
// Each end draws a number when it starts. An end is believed when it repeats the other's present number, so a recorded
// hello proves nothing to who has started since:
//
//   A  hello(A, none) ------------>  B  answers hello(B, A)
//   A  believes B  <---------------
//      hello(A, B) --------------->  B  believes A
//
// An end repeats its hello until a datagram of the peer could be opened. One that returns has another number and does the
// same; what the peer still sends to the former one is refused until then. A number that was replaced is not believed again:
// its keys would come again, and with them the numbers of datagrams. After kMostReplaced returns of its peer, an end draws
// another number itself, as if it had just started; then nothing is believed that was said to the former one.
//
// Around a transport that hears everybody, what is sent goes to where the peer was believed from, and follows it: to where
// the latest datagram came from that could be opened.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "simcore/portal/peering_transport.h"
#include "simcore/portal/replay_window.h"
#include "simcore/portal/seal.h"

namespace simcore::peering {

class SealedTransport final : public Transport {
 public:
  SealedTransport(std::unique_ptr<Transport> carrier, const RunKey& key,
                  std::uint64_t datagrams_per_key = Seal::kDatagramsPerKey);

  int fd() const override { return carrier_->fd(); }
  std::size_t largest_datagram() const override { return carrier_->largest_datagram() - kSealBytes; }
  std::size_t together(std::size_t datagram_size) const override {
    return carrier_->together(datagram_size + kSealBytes);
  }
  // Before this end believes the peer, a hello goes instead of datagrams, which are as good as lost.
  int send(std::span<const Datagram> datagrams) override;
  bool flush() override { return carrier_->flush(); }
  std::span<const Received> receive() override;
  std::size_t waiting_bytes() const override { return carrier_->waiting_bytes(); }
  bool shares_clock() const override { return carrier_->shares_clock(); }
  Counters counters() const override;

 private:
  struct Hello {
    std::uint32_t magic = kSealMagic;
    SealedKind kind = SealedKind::hello;
    std::uint8_t wants_answer = 0;
    std::array<std::uint8_t, 2> zero{};
    EndNumber sender{};
    EndNumber receiver{};
    std::array<std::uint8_t, Aead::kTag> tag{};
  };
  static_assert(sizeof(Hello) == 56);

  struct Peer {
    EndNumber number;
    bool proven = false;  // a datagram of it was opened: it has the same keys
    Seal out;
    Seal in;
    std::uint64_t next_counter = 0;
    ReplayWindow seen;
  };

  static constexpr std::size_t kMostReplaced = 1'024;

  void say_hello(const EndNumber& to, bool wants_answer);
  void take_hello(const Received& received);
  void take_datagram(const Received& sealed);
  void believe(const EndNumber& number);
  void follow(const UdpEndpoint& remote);
  bool was_replaced(const EndNumber& number) const;

  std::unique_ptr<Transport> carrier_;
  RunKey key_;
  std::uint64_t datagrams_per_key_;
  EndNumber own_;
  std::optional<Peer> peer_;
  UdpEndpoint remote_;               // of the peer, where the carrier hears everybody
  std::vector<EndNumber> replaced_;  // since own_ was drawn, at most kMostReplaced
  DropCounters dropped_;
  std::uint64_t keys_before_ = 0;  // of former peers

  std::vector<std::uint8_t> out_bytes_;
  std::vector<Datagram> out_;
  std::vector<Received> in_;
};

}  // namespace simcore::peering
