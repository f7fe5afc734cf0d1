// SPDX-License-Identifier: MIT
#include "simcore/portal/sealed_transport.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "simcore/sys/random.h"

namespace simcore::peering {

namespace {

constexpr EndNumber kNobody{};

}  // namespace

SealedTransport::SealedTransport(std::unique_ptr<Transport> carrier, const RunKey& key,
                                 std::uint64_t datagrams_per_key)
    : carrier_(std::move(carrier)), key_(key), datagrams_per_key_(datagrams_per_key), own_() {
  fill_with_random(own_);
}

int SealedTransport::send(std::span<const Datagram> datagrams) {
  if (!peer_) {
    say_hello(kNobody, true);
    return static_cast<int>(datagrams.size());
  }
  if (!peer_->proven) say_hello(peer_->number, true);
  std::size_t bytes = 0;
  for (const Datagram& datagram : datagrams) bytes += datagram.size() + kSealBytes;
  if (out_bytes_.size() < bytes) out_bytes_.resize(bytes);
  out_.clear();
  std::span<std::uint8_t> room(out_bytes_);
  for (const Datagram& datagram : datagrams) {
    const std::size_t size = datagram.size() + kSealBytes;
    peer_->out.close(peer_->next_counter++, datagram.head, datagram.body, room.first(size));
    out_.push_back({room.first(size), {}});
    room = room.subspan(size);
  }
  return carrier_->send(out_);
}

std::span<const Transport::Received> SealedTransport::receive() {
  in_.clear();
  for (const Received& each : carrier_->receive()) {
    SealHeader header;
    const std::size_t size = each.bytes.size();
    if (size >= sizeof header) std::memcpy(&header, each.bytes.data(), sizeof header);
    if (header.magic != kSealMagic || size < kSealBytes) {
      dropped_.add(DropReason::forged, 1);
    } else if (header.kind == SealedKind::hello) {
      take_hello(each);
    } else {
      take_datagram(each);
    }
  }
  return in_;
}

// Where it lies: it is in the cache there.
void SealedTransport::take_datagram(const Received& sealed) {
  if (!peer_) {
    dropped_.add(DropReason::stale_session, 1);
    return;
  }
  SealHeader header;
  std::memcpy(&header, sealed.bytes.data(), sizeof header);
  if (!peer_->seen.is_new(header.counter)) {
    dropped_.add(DropReason::replayed, 1);
    return;
  }
  const auto opened = peer_->in.open(sealed.bytes);
  if (!opened) {
    dropped_.add(DropReason::forged, 1);
    return;
  }
  peer_->proven = true;
  peer_->seen.see(header.counter);
  follow(sealed.from);
  in_.push_back({*opened, sealed.waited, sealed.from});
}

void SealedTransport::say_hello(const EndNumber& to, bool wants_answer) {
  Hello hello;
  hello.wants_answer = wants_answer ? 1 : 0;
  hello.sender = own_;
  hello.receiver = to;
  const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(&hello), sizeof hello);
  const auto proof = hmac_sha256(key_, bytes.first(sizeof hello - Aead::kTag));
  std::copy_n(proof.begin(), Aead::kTag, hello.tag.begin());
  const Datagram datagram = {bytes, {}};
  carrier_->send(std::span<const Datagram>(&datagram, 1));
}

void SealedTransport::take_hello(const Received& received) {
  const std::span<const std::uint8_t> bytes = received.bytes;
  Hello hello;
  if (bytes.size() != sizeof hello) {
    dropped_.add(DropReason::forged, 1);
    return;
  }
  std::memcpy(&hello, bytes.data(), sizeof hello);
  const auto proof = hmac_sha256(key_, bytes.first(sizeof hello - Aead::kTag));
  const bool is_own = hello.sender == own_;
  if (is_own || !same_secret(std::span(proof).first(Aead::kTag), hello.tag)) {
    dropped_.add(DropReason::forged, 1);
    return;
  }
  if (was_replaced(hello.sender)) {
    dropped_.add(DropReason::replayed, 1);
    return;
  }
  const bool repeats_own = hello.receiver == own_;
  const bool believed = peer_ && peer_->number == hello.sender;
  if (repeats_own && !believed) {
    believe(hello.sender);
    follow(received.from);
  }
  if (hello.wants_answer != 0 || (repeats_own && !believed)) {
    carrier_->send_to(received.from);  // who asks is not yet who is believed
    say_hello(hello.sender, false);
    carrier_->send_to(remote_);
  }
}

void SealedTransport::follow(const UdpEndpoint& remote) {
  if (remote == remote_) return;
  remote_ = remote;
  carrier_->send_to(remote_);
}

void SealedTransport::believe(const EndNumber& number) {
  if (peer_) {
    keys_before_ += peer_->in.keys() + peer_->out.keys() - 2;
    replaced_.push_back(peer_->number);
  }
  if (replaced_.size() > kMostReplaced) {
    fill_with_random(own_);
    replaced_.clear();
    peer_.reset();
    return;
  }
  peer_.emplace(Peer{number,
                     false,
                     Seal(key_, own_, number, datagrams_per_key_),
                     Seal(key_, number, own_, datagrams_per_key_),
                     0,
                     {}});
}

bool SealedTransport::was_replaced(const EndNumber& number) const {
  return std::ranges::find(replaced_, number) != replaced_.end();
}

Transport::Counters SealedTransport::counters() const {
  Counters counters = carrier_->counters();
  counters.dropped.add(dropped_);
  counters.rekeyed += keys_before_ + (peer_ ? peer_->in.keys() + peer_->out.keys() - 2 : 0);
  return counters;
}

}  // namespace simcore::peering
