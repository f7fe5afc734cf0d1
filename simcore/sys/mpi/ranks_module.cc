// SPDX-License-Identifier: MIT
//
// The module _simcore_mpi: the only part that includes MPI's header and is linked with its library.
#include "simcore/sys/ranks_module.h"

#include <mpi.h>

#include <vector>

namespace {

constexpr int kTag = 14;

hybridnet_ranks ranks{};

void share(const void* own, void* all, int bytes) {
  MPI_Allgather(own, bytes, MPI_BYTE, all, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

void trade(const void* const* out, const int* out_bytes, void* const* in, const int* in_bytes) {
  std::vector<MPI_Request> requests;
  for (int other = 0; other < ranks.size; ++other) {
    if (other == ranks.rank || in_bytes[other] == 0) continue;
    MPI_Irecv(in[other], in_bytes[other], MPI_BYTE, other, kTag, MPI_COMM_WORLD, &requests.emplace_back());
  }
  for (int other = 0; other < ranks.size; ++other) {
    if (other == ranks.rank || out_bytes[other] == 0) continue;
    MPI_Isend(out[other], out_bytes[other], MPI_BYTE, other, kTag, MPI_COMM_WORLD, &requests.emplace_back());
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

void end() { MPI_Finalize(); }

}  // namespace

const hybridnet_ranks* hybridnet_ranks_begin() {
  int begun = 0;
  MPI_Initialized(&begun);
  if (begun == 0 && MPI_Init(nullptr, nullptr) != MPI_SUCCESS) return nullptr;
  ranks = {
      .version = HYBRIDNET_RANKS_VERSION, .rank = 0, .size = 0, .share = share, .trade = trade, .end = end};
  MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks.size);
  return &ranks;
}
