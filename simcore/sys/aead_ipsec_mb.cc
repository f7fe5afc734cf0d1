// SPDX-License-Identifier: MIT
#ifdef SIMCORE_IPSEC_MB

#include <intel-ipsec-mb.h>

#include "simcore/sys/aead.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

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
  IMB_AES256_GCM_INIT(gcm, &state.key, &state.datagram, nonce.data(), clear.data(), clear.size());
  std::uint8_t* out = to.data();
  for (const std::span<const std::uint8_t> part : {head, body}) {
    if (part.empty()) continue;
    IMB_AES256_GCM_ENC_UPDATE(gcm, &state.key, &state.datagram, out, part.data(), part.size());
    out += part.size();
  }
  IMB_AES256_GCM_ENC_FINALIZE(gcm, &state.key, &state.datagram, out, kTag);
}

std::optional<std::span<std::uint8_t>> Aead::open(const Nonce& nonce, std::span<const std::uint8_t> clear,
                                                  std::span<const std::uint8_t> closed,
                                                  std::span<std::uint8_t> to) {
  IMB_MGR* const gcm = functions();
  State& state = *state_;
  const std::span<const std::uint8_t> bytes = closed.first(closed.size() - kTag);
  std::array<std::uint8_t, kTag> tag;
  IMB_AES256_GCM_INIT(gcm, &state.key, &state.datagram, nonce.data(), clear.data(), clear.size());
  if (!bytes.empty())
    IMB_AES256_GCM_DEC_UPDATE(gcm, &state.key, &state.datagram, to.data(), bytes.data(), bytes.size());
  IMB_AES256_GCM_DEC_FINALIZE(gcm, &state.key, &state.datagram, tag.data(), tag.size());
  if (!same_secret(tag, closed.last(kTag))) return std::nullopt;
  return to.first(bytes.size());
}

}  // namespace simcore

#endif
