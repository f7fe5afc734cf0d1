// SPDX-License-Identifier: MIT
//
// Aead: AES-256-GCM (NIST SP 800-38D), and what goes with it, by OpenSSL.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

struct evp_cipher_ctx_st;

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

  // Throws EnvironmentError when OpenSSL refuses, as do the next.
  explicit Aead(const Key& key);

  // Encrypts the parts, and authenticates them and `clear`. Writes them and the tag, kTag bytes more, to `to`.
  void close(const Nonce& nonce, std::span<const std::uint8_t> clear, std::span<const std::uint8_t> head,
             std::span<const std::uint8_t> body, std::span<std::uint8_t> to);

  // Decrypts what close() wrote to `to`, kTag bytes less. None when it, or `clear`, is not what was authenticated.
  // Precondition: it has at least kTag bytes.
  std::optional<std::span<const std::uint8_t>> open(const Nonce& nonce, std::span<const std::uint8_t> clear,
                                                    std::span<const std::uint8_t> closed,
                                                    std::span<std::uint8_t> to);

 private:
  struct Freed {
    void operator()(evp_cipher_ctx_st* cipher) const;
  };

  std::unique_ptr<evp_cipher_ctx_st, Freed> state_;
};

}  // namespace simcore
