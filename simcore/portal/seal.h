// SPDX-License-Identifier: MIT
//
// Seal: one direction between two instances of a run: datagrams encrypted and authenticated by AES-256-GCM (NIST SP
// 800-38D, RFC 5288's nonces) with keys that follow from the run's.
//
//   sealed datagram
//   +------------------------------------------------------------+
//   | "HNS" version | kind | 0 0 0 | counter                     |  16 bytes, authenticated
//   +------------------------------------------------------------+
//   | the datagram, encrypted                                    |
//   +------------------------------------------------------------+
//   | tag                                                        |  16 bytes
//   +------------------------------------------------------------+
//
// The counter never repeats under a key, and is the nonce. Every kDatagramsPerKey datagrams the key is another one: the
// counter says which, so no datagram that is lost matters. A key is HMAC-SHA256(the run's key, both ends' numbers,
// which of them sends, the key's number); the ends' numbers are drawn when they start, so no key ever comes again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "simcore/portal/peering_wire.h"
#include "simcore/sys/aead.h"

namespace simcore::peering {

using RunKey = Aead::Key;
using EndNumber = std::array<std::uint8_t, 16>;

// Of 64 hexadecimal digits. Throws ConfigError, which does not repeat them.
RunKey parse_run_key(const std::string& text);

enum class SealedKind : std::uint8_t { hello = 1, datagram = 2 };

struct SealHeader {
  std::uint32_t magic = 0;
  SealedKind kind = SealedKind::datagram;
  std::array<std::uint8_t, 3> zero{};
  std::uint64_t counter = 0;
};
constexpr std::uint32_t kSealMagic = 'H' | 'N' << 8 | 'S' << 16 | 1 << 24;
static_assert(sizeof(SealHeader) + Aead::kTag == kSealBytes);

class Seal {
 public:
  static constexpr std::uint64_t kDatagramsPerKey = std::uint64_t{1} << 22;

  // Of what `sender` sends to `receiver`.
  Seal(const RunKey& key, const EndNumber& sender, const EndNumber& receiver,
       std::uint64_t datagrams_per_key = kDatagramsPerKey);

  // Writes the sealed datagram with that counter to `to`, which has room for the parts and kSealBytes.
  void close(std::uint64_t counter, std::span<const std::uint8_t> head, std::span<const std::uint8_t> body,
             std::span<std::uint8_t> to);

  // Opens a sealed datagram where it lies, and returns what was in it; none when it is not authentic, and then its bytes are
  // of no use. Precondition: it has at least kSealBytes.
  std::optional<std::span<std::uint8_t>> open(std::span<std::uint8_t> sealed);

  std::uint64_t keys() const { return keys_; }  // that were used, one after the other

 private:
  struct Cipher {
    std::uint64_t number = 0;
    std::optional<Aead> aead;  // none yet
  };

  Cipher& cipher_of(std::uint64_t number);
  void use_other();

  RunKey key_;
  EndNumber sender_;
  EndNumber receiver_;
  std::uint64_t datagrams_per_key_;
  std::array<Cipher, 2> ciphers_;  // the one in use, and the one before or after it
  std::size_t in_use_ = 0;
  std::uint64_t keys_ = 1;
};

}  // namespace simcore::peering
