// SPDX-License-Identifier: MIT
#include "simcore/portal/seal.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "simcore/units/error.h"

namespace simcore::peering {

namespace {

constexpr std::array<std::uint8_t, 16> kPurpose = {'h', 'y', 'b', 'r', 'i', 'd', 'n', 'e',
                                                   't', ' ', 's', 'e', 'a', 'l', ' ', '1'};

Aead::Nonce nonce_of(std::uint64_t counter) {
  Aead::Nonce nonce{};
  std::memcpy(nonce.data() + 4, &counter, sizeof counter);
  return nonce;
}

}  // namespace

RunKey parse_run_key(const std::string& text) {
  RunKey key{};
  bool good = text.size() == 2 * key.size();
  for (std::size_t i = 0; good && i < key.size(); ++i) {
    const char* const digits = text.data() + 2 * i;
    good = std::from_chars(digits, digits + 2, key[i], 16).ptr == digits + 2;
  }
  if (!good) throw ConfigError("read the run's key: it is not 64 hexadecimal digits");
  return key;
}

Seal::Seal(const RunKey& key, const EndNumber& sender, const EndNumber& receiver,
           std::uint64_t datagrams_per_key)
    : key_(key), sender_(sender), receiver_(receiver), datagrams_per_key_(datagrams_per_key) {
  cipher_of(0);
}

// The one in use is not given up for a number that somebody may have made up.
Seal::Cipher& Seal::cipher_of(std::uint64_t number) {
  for (Cipher& each : ciphers_) {
    if (each.aead && each.number == number) return each;
  }
  Cipher& cipher = ciphers_[ciphers_[in_use_].aead ? 1 - in_use_ : in_use_];
  std::array<std::uint8_t, kPurpose.size() + 2 * sizeof(EndNumber) + sizeof number> name;
  auto at = std::copy(kPurpose.begin(), kPurpose.end(), name.begin());
  at = std::copy(sender_.begin(), sender_.end(), at);
  at = std::copy(receiver_.begin(), receiver_.end(), at);
  std::memcpy(&*at, &number, sizeof number);
  cipher.aead.emplace(hmac_sha256(key_, name));
  cipher.number = number;
  return cipher;
}

void Seal::close(std::uint64_t counter, std::span<const std::uint8_t> head,
                 std::span<const std::uint8_t> body, std::span<std::uint8_t> to) {
  Cipher& cipher = cipher_of(counter / datagrams_per_key_);
  if (&cipher != &ciphers_[in_use_]) use_other();
  const SealHeader header = {kSealMagic, SealedKind::datagram, {}, counter};
  std::memcpy(to.data(), &header, sizeof header);
  cipher.aead->close(nonce_of(counter), to.first(sizeof header), head, body, to.subspan(sizeof header));
}

std::optional<std::span<std::uint8_t>> Seal::open(std::span<std::uint8_t> sealed) {
  SealHeader header;
  std::memcpy(&header, sealed.data(), sizeof header);
  Cipher& cipher = cipher_of(header.counter / datagrams_per_key_);
  const std::span<std::uint8_t> closed = sealed.subspan(sizeof header);
  const auto opened =
      cipher.aead->open(nonce_of(header.counter), sealed.first(sizeof header), closed, closed);
  if (opened && &cipher != &ciphers_[in_use_] && cipher.number > ciphers_[in_use_].number) use_other();
  return opened;
}

void Seal::use_other() {
  in_use_ = 1 - in_use_;
  ++keys_;
}

}  // namespace simcore::peering
