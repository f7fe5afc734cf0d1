// SPDX-License-Identifier: MIT
#ifndef SIMCORE_IPSEC_MB

#include <openssl/evp.h>

#include "simcore/sys/aead.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

void must(bool done) {
  if (!done)
    throw EnvironmentError(
        "encrypt or authenticate: OpenSSL refuses; has this computer AES-256-GCM disabled?");
}

}  // namespace

struct Aead::State {
  EVP_CIPHER_CTX* const cipher = ::EVP_CIPHER_CTX_new();

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { ::EVP_CIPHER_CTX_free(cipher); }
};

void Aead::Freed::operator()(State* state) const { delete state; }

Aead::Aead(const Key& key) : state_(new State) {
  must(state_->cipher != nullptr &&
       ::EVP_CipherInit_ex(state_->cipher, EVP_aes_256_gcm(), nullptr, key.data(), nullptr, 1) == 1);
}

void Aead::close(const Nonce& nonce, std::span<const std::uint8_t> clear, std::span<const std::uint8_t> head,
                 std::span<const std::uint8_t> body, std::span<std::uint8_t> to) {
  EVP_CIPHER_CTX* const state = state_->cipher;
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

std::optional<std::span<std::uint8_t>> Aead::open(const Nonce& nonce, std::span<const std::uint8_t> clear,
                                                  std::span<const std::uint8_t> closed,
                                                  std::span<std::uint8_t> to) {
  EVP_CIPHER_CTX* const state = state_->cipher;
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

#endif
