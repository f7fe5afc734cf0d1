// SPDX-License-Identifier: MIT
#include "simcore/sys/aead.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "simcore/units/error.h"

namespace simcore {

namespace {

void must(bool done) {
  if (!done)
    throw EnvironmentError(
        "encrypt or authenticate: OpenSSL refuses; has this computer AES-256-GCM disabled?");
}

}  // namespace

std::array<std::uint8_t, 32> hmac_sha256(std::span<const std::uint8_t> key,
                                         std::span<const std::uint8_t> bytes) {
  std::array<std::uint8_t, 32> digest{};
  must(::HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes.data(), bytes.size(),
              digest.data(), nullptr) != nullptr);
  return digest;
}

bool same_secret(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  return ::CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

void Aead::Freed::operator()(evp_cipher_ctx_st* cipher) const { ::EVP_CIPHER_CTX_free(cipher); }

Aead::Aead(const Key& key) : state_(::EVP_CIPHER_CTX_new()) {
  must(state_ && ::EVP_CipherInit_ex(state_.get(), EVP_aes_256_gcm(), nullptr, key.data(), nullptr, 1) == 1);
}

void Aead::close(const Nonce& nonce, std::span<const std::uint8_t> clear, std::span<const std::uint8_t> head,
                 std::span<const std::uint8_t> body, std::span<std::uint8_t> to) {
  EVP_CIPHER_CTX* const state = state_.get();
  int length = 0;
  std::uint8_t* out = to.data();
  bool done = ::EVP_EncryptInit_ex(state, nullptr, nullptr, nullptr, nonce.data()) == 1 &&
              ::EVP_EncryptUpdate(state, nullptr, &length, clear.data(), static_cast<int>(clear.size())) == 1;
  for (const std::span<const std::uint8_t> part : {head, body}) {
    if (part.empty()) continue;
    done = done && ::EVP_EncryptUpdate(state, out, &length, part.data(), static_cast<int>(part.size())) == 1;
    out += part.size();
  }
  must(done && ::EVP_EncryptFinal_ex(state, out, &length) == 1 &&
       ::EVP_CIPHER_CTX_ctrl(state, EVP_CTRL_AEAD_GET_TAG, kTag, out) == 1);
}

std::optional<std::span<const std::uint8_t>> Aead::open(const Nonce& nonce,
                                                        std::span<const std::uint8_t> clear,
                                                        std::span<const std::uint8_t> closed,
                                                        std::span<std::uint8_t> to) {
  EVP_CIPHER_CTX* const state = state_.get();
  const std::span<const std::uint8_t> bytes = closed.first(closed.size() - kTag);
  auto* const tag = const_cast<std::uint8_t*>(closed.data() + bytes.size());  // OpenSSL only reads it
  int length = 0;
  must(::EVP_DecryptInit_ex(state, nullptr, nullptr, nullptr, nonce.data()) == 1 &&
       ::EVP_DecryptUpdate(state, nullptr, &length, clear.data(), static_cast<int>(clear.size())) == 1);
  if (!bytes.empty())
    must(::EVP_DecryptUpdate(state, to.data(), &length, bytes.data(), static_cast<int>(bytes.size())) == 1);
  must(::EVP_CIPHER_CTX_ctrl(state, EVP_CTRL_AEAD_SET_TAG, kTag, tag) == 1);
  if (::EVP_DecryptFinal_ex(state, to.data() + bytes.size(), &length) != 1) return std::nullopt;
  return to.first(bytes.size());
}

}  // namespace simcore
