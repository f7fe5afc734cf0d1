// SPDX-License-Identifier: MIT
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "simcore/sys/aead.h"
#include "simcore/units/error.h"

namespace simcore {

std::array<std::uint8_t, 32> hmac_sha256(std::span<const std::uint8_t> key,
                                         std::span<const std::uint8_t> bytes) {
  std::array<std::uint8_t, 32> digest{};
  if (::HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes.data(), bytes.size(),
             digest.data(), nullptr) == nullptr) {
    throw EnvironmentError("authenticate: OpenSSL refuses; has this computer SHA-256 disabled?");
  }
  return digest;
}

bool same_secret(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  return ::CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace simcore
