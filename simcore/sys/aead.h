// SPDX-License-Identifier: MIT
//
// Aead: AES-256-GCM (NIST SP 800-38D), and what goes with it.
//
//   aead_ipsec_mb.cc   by intel-ipsec-mb, where that is there: several blocks at once (VAES), and little to begin with
//   aead_openssl.cc    by OpenSSL, elsewhere; hashes are always OpenSSL's
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace simcore {

// HMAC-SHA256. Throws EnvironmentError when OpenSSL refuses.
std::array<std::uint8_t, 32> hmac_sha256(std::span<const std::uint8_t> key,
                                         std::span<const std::uint8_t> bytes);

// In a time that does not depend on where they differ. Precondition: of the same size.
bool same_secret(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b);

class Aead {
 public:
  static constexpr std::size_t kTag = 16;
  using Key = std::array<std::uint8_t, 32>;
  using Nonce = std::array<std::uint8_t, 12>;  // never twice with one key

  // Throws EnvironmentError when this computer refuses, as do the next.
  explicit Aead(const Key& key);

  // Encrypts the parts, and authenticates them and `clear`. Writes them and the tag, kTag bytes more, to `to`.
  void close(const Nonce& nonce, std::span<const std::uint8_t> clear, std::span<const std::uint8_t> head,
             std::span<const std::uint8_t> body, std::span<std::uint8_t> to);

  // Decrypts what close() wrote to `to`, kTag bytes less; `to` may be where it lies. None when it, or `clear`, is not what was
  // authenticated. Precondition: it has at least kTag bytes.
  std::optional<std::span<std::uint8_t>> open(const Nonce& nonce, std::span<const std::uint8_t> clear,
                                              std::span<const std::uint8_t> closed,
                                              std::span<std::uint8_t> to);

 private:
  struct State;
  struct Freed {
    void operator()(State* state) const;
  };

  std::unique_ptr<State, Freed> state_;
};

}  // namespace simcore
