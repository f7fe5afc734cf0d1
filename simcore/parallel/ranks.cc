// SPDX-License-Identifier: MIT
#include "simcore/parallel/ranks.h"

#include <cstdint>

#include "simcore/units/error.h"

namespace simcore {

Ranks::Ranks(const std::string& module) : library_(module), functions_(nullptr) {
  auto* const begin = library_.function<const hybridnet_ranks*()>("hybridnet_ranks_begin");
  functions_ = begin == nullptr ? nullptr : begin();
  if (functions_ == nullptr || functions_->version != HYBRIDNET_RANKS_VERSION) {
    throw EnvironmentError("begin MPI by " + module +
                           ": it is not the module of this simulator; build it anew");
  }
}

std::vector<std::string> Ranks::gather(const std::string& own) const {
  const auto bytes = static_cast<std::int32_t>(own.size());
  std::vector<std::int32_t> sizes(size());
  functions_->share(&bytes, sizes.data(), sizeof bytes);
  std::vector<std::string> all(size());
  std::vector<const void*> out(size(), own.data());
  std::vector<int> out_bytes(size(), bytes);
  std::vector<void*> in(size());
  std::vector<int> in_bytes(sizes.begin(), sizes.end());
  for (std::size_t other = 0; other < size(); ++other) {
    all[other].resize(static_cast<std::size_t>(sizes[other]));
    in[other] = all[other].data();
  }
  functions_->trade(out.data(), out_bytes.data(), in.data(), in_bytes.data());
  all[rank()] = own;
  return all;
}

}  // namespace simcore
