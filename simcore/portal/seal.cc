// SPDX-License-Identifier: MIT
#include "simcore/portal/seal.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "simcore/units/error.h"

namespace simcore::peering {

namespace {

constexpr std::array<std::uint8_t, 16> kPurpose = {'h', 'y', 'b', 'r', 'i', 'd', 'n', 'e',
                                                   't', ' ', 's', 'e', 'a', 'l', ' ', '1'};

using Nonce = std::array<std::uint8_t, 12>;

Nonce nonce_of(std::uint64_t counter) {
  Nonce nonce{};
  std::memcpy(nonce.data() + 4, &counter, sizeof counter);
  return nonce;
}

// OpenSSL fails for want of memory only: everything else is checked before.
void must(int done) {
  if (done != 1)
    throw EnvironmentError("encrypt a peering datagram: OpenSSL refuses; is AES-256-GCM disabled here?");
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

Digest authentication_of(std::span<const std::uint8_t> bytes, const RunKey& key) {
  Digest digest{};
  if (::HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes.data(), bytes.size(),
             digest.data(), nullptr) == nullptr) {
    must(0);
  }
  return digest;
}

void Seal::Freed::operator()(evp_cipher_ctx_st* cipher) const { ::EVP_CIPHER_CTX_free(cipher); }

Seal::Seal(const RunKey& key, const EndNumber& sender, const EndNumber& receiver,
           std::uint64_t datagrams_per_key)
    : key_(key), sender_(sender), receiver_(receiver), datagrams_per_key_(datagrams_per_key) {
  cipher_of(0);
}

Seal::~Seal() = default;
Seal::Seal(Seal&&) noexcept = default;
Seal& Seal::operator=(Seal&&) noexcept = default;

// The one in use is not given up for a number that somebody may have made up.
Seal::Cipher& Seal::cipher_of(std::uint64_t number) {
  for (Cipher& each : ciphers_) {
    if (each.state && each.number == number) return each;
  }
  Cipher& cipher = ciphers_[ciphers_[in_use_].state ? 1 - in_use_ : in_use_];
  std::array<std::uint8_t, kPurpose.size() + 2 * sizeof(EndNumber) + sizeof number> name;
  auto at = std::copy(kPurpose.begin(), kPurpose.end(), name.begin());
  at = std::copy(sender_.begin(), sender_.end(), at);
  at = std::copy(receiver_.begin(), receiver_.end(), at);
  std::memcpy(&*at, &number, sizeof number);
  const Digest key = authentication_of(name, key_);
  cipher.state.reset(::EVP_CIPHER_CTX_new());
  must(::EVP_CipherInit_ex(cipher.state.get(), EVP_aes_256_gcm(), nullptr, key.data(), nullptr, 1));
  cipher.number = number;
  return cipher;
}

void Seal::close(std::uint64_t counter, std::span<const std::uint8_t> head,
                 std::span<const std::uint8_t> body, std::span<std::uint8_t> to) {
  Cipher& cipher = cipher_of(counter / datagrams_per_key_);
  if (&cipher != &ciphers_[in_use_]) {
    in_use_ = 1 - in_use_;
    ++keys_;
  }
  const SealHeader header = {kSealMagic, SealedKind::datagram, {}, counter};
  std::memcpy(to.data(), &header, sizeof header);
  const Nonce nonce = nonce_of(counter);
  EVP_CIPHER_CTX* const state = cipher.state.get();
  int length = 0;
  std::uint8_t* out = to.data() + sizeof header;
  must(::EVP_EncryptInit_ex(state, nullptr, nullptr, nullptr, nonce.data()));
  must(::EVP_EncryptUpdate(state, nullptr, &length, to.data(), sizeof header));
  for (const std::span<const std::uint8_t> part : {head, body}) {
    if (part.empty()) continue;
    must(::EVP_EncryptUpdate(state, out, &length, part.data(), static_cast<int>(part.size())));
    out += length;
  }
  must(::EVP_EncryptFinal_ex(state, out, &length));
  must(::EVP_CIPHER_CTX_ctrl(state, EVP_CTRL_AEAD_GET_TAG, kTagBytes, out));
}

std::optional<std::span<const std::uint8_t>> Seal::open(std::span<const std::uint8_t> sealed,
                                                        std::span<std::uint8_t> to) {
  SealHeader header;
  std::memcpy(&header, sealed.data(), sizeof header);
  Cipher& cipher = cipher_of(header.counter / datagrams_per_key_);
  const Nonce nonce = nonce_of(header.counter);
  EVP_CIPHER_CTX* const state = cipher.state.get();
  const std::size_t size = sealed.size() - kSealBytes;
  const std::uint8_t* const bytes = sealed.data() + sizeof header;
  std::array<std::uint8_t, kTagBytes> tag;
  std::memcpy(tag.data(), bytes + size, tag.size());
  int length = 0;
  must(::EVP_DecryptInit_ex(state, nullptr, nullptr, nullptr, nonce.data()));
  must(::EVP_DecryptUpdate(state, nullptr, &length, sealed.data(), sizeof header));
  if (size > 0) must(::EVP_DecryptUpdate(state, to.data(), &length, bytes, static_cast<int>(size)));
  must(::EVP_CIPHER_CTX_ctrl(state, EVP_CTRL_AEAD_SET_TAG, kTagBytes, tag.data()));
  if (::EVP_DecryptFinal_ex(state, to.data() + size, &length) != 1) return std::nullopt;
  if (&cipher != &ciphers_[in_use_] && cipher.number > ciphers_[in_use_].number) {
    in_use_ = 1 - in_use_;
    ++keys_;
  }
  return to.first(size);
}

}  // namespace simcore::peering
