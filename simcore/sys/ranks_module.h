// SPDX-License-Identifier: MIT
//
// What the module _simcore_mpi gives to who loads it: the processes of one MPI job. Plain C, so that neither needs to know
// with which MPI, or whether with any, the other was built.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

enum { HYBRIDNET_RANKS_VERSION = 1 };

struct hybridnet_ranks {
  int version;
  int rank;
  int size;
  /* Everyone gives `bytes` bytes and gets those of all, by rank. */
  void (*share)(const void* own, void* all, int bytes);
  /* Everyone gives each other rank out_bytes[rank] bytes at out[rank], and gets in_bytes[rank] at in[rank]; its own are left
   * out. What one gives is what the other expects. */
  void (*trade)(const void* const* out, const int* out_bytes, void* const* in, const int* in_bytes);
  /* Ends MPI in this process. Nothing is called afterwards. */
  void (*end)(void);
};

/* Begins MPI in this process, once; null where it cannot. */
const struct hybridnet_ranks* hybridnet_ranks_begin(void);

#ifdef __cplusplus
}
#endif
