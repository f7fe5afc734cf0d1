// SPDX-License-Identifier: MIT
#ifdef SIMCORE_IPSEC_MB

#include <intel-ipsec-mb.h>

#include <cstring>

#include "simcore/sys/aead.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

// Parts of so many bytes together are put side by side before they are encrypted: for few that takes less than to begin a
// second time (aead_bench).
constexpr std::size_t kMostCopied = 2'048;

// The functions that suit this processor. Only read once it is made.
IMB_MGR* functions() {
  static IMB_MGR* const made = [] {
    IMB_MGR* const manager = ::alloc_mb_mgr(0);
    if (manager != nullptr) ::init_mb_mgr_auto(manager, nullptr);
    if (manager == nullptr || ::imb_get_errno(manager) != 0) {
      throw EnvironmentError(
          "encrypt: intel-ipsec-mb does not know this processor; build without it (remove libipsec-mb-dev)");
    }
    return manager;
  }();
  return made;
}

}  // namespace

struct Aead::State {
  gcm_key_data key;
  gcm_context_data datagram;
};

void Aead::Freed::operator()(State* state) const { delete state; }

Aead::Aead(const Key& key) : state_(new State) { IMB_AES256_GCM_PRE(functions(), key.data(), &state_->key); }

void Aead::close(const Nonce& nonce, std::span<const std::uint8_t> clear, std::span<const std::uint8_t> head,
                 std::span<const std::uint8_t> body, std::span<std::uint8_t> to) {
  IMB_MGR* const gcm = functions();
  State& state = *state_;
  const std::size_t size = head.size() + body.size();
  std::uint8_t* const tag = to.data() + size;
  if (size <= kMostCopied) {
    if (!head.empty()) std::memcpy(to.data(), head.data(), head.size());
    if (!body.empty()) std::memcpy(to.data() + head.size(), body.data(), body.size());
    IMB_AES256_GCM_ENC(gcm, &state.key, &state.datagram, to.data(), to.data(), size, nonce.data(),
                       clear.data(), clear.size(), tag, kTag);
    return;
  }
  IMB_AES256_GCM_INIT(gcm, &state.key, &state.datagram, nonce.data(), clear.data(), clear.size());
  std::uint8_t* out = to.data();
  for (const std::span<const std::uint8_t> part : {head, body}) {
    if (part.empty()) continue;
    IMB_AES256_GCM_ENC_UPDATE(gcm, &state.key, &state.datagram, out, part.data(), part.size());
    out += part.size();
  }
  IMB_AES256_GCM_ENC_FINALIZE(gcm, &state.key, &state.datagram, tag, kTag);
}

std::optional<std::span<std::uint8_t>> Aead::open(const Nonce& nonce, std::span<const std::uint8_t> clear,
                                                  std::span<const std::uint8_t> closed,
                                                  std::span<std::uint8_t> to) {
  State& state = *state_;
  const std::span<const std::uint8_t> bytes = closed.first(closed.size() - kTag);
  std::array<std::uint8_t, kTag> tag;
  IMB_AES256_GCM_DEC(functions(), &state.key, &state.datagram, to.data(), bytes.data(), bytes.size(),
                     nonce.data(), clear.data(), clear.size(), tag.data(), tag.size());
  if (!same_secret(tag, closed.last(kTag))) return std::nullopt;
  return to.first(bytes.size());
}

}  // namespace simcore

#endif
