// SPDX-License-Identifier: MIT
//
// Sealing alone: AES-256-GCM of one datagram, at the sender and at the receiver, from one buffer into another as
// SealedTransport does it. Goal: 10 GB/s of 1,456 bytes, so that a sealed train costs no half more than a clear one.
//
// What the processor can: openssl speed -evp aes-256-gcm (aes-128-gcm, chacha20-poly1305) -bytes 1456 -aead
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "simcore/sys/aead.h"

namespace simcore {
namespace {

constexpr std::size_t kHeader = 16;  // authenticated, not encrypted
constexpr std::size_t kHead = 64;    // the first of the two parts that are sealed

struct Datagram {
  explicit Datagram(std::size_t size) : clear(size), closed(size + Aead::kTag) {}

  std::span<const std::uint8_t> head() const { return std::span(clear).first(kHead); }
  std::span<const std::uint8_t> body() const { return std::span(clear).subspan(kHead); }

  std::array<std::uint8_t, kHeader> header{};
  std::vector<std::uint8_t> clear;
  std::vector<std::uint8_t> closed;
};

void close(benchmark::State& state) {
  Datagram datagram(static_cast<std::size_t>(state.range(0)));
  Aead aead(Aead::Key{1});
  Aead::Nonce nonce{};
  for (auto _ : state) {
    ++nonce[0];
    aead.close(nonce, datagram.header, datagram.head(), datagram.body(), datagram.closed);
    benchmark::DoNotOptimize(datagram.closed.data());
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

void open(benchmark::State& state) {
  Datagram datagram(static_cast<std::size_t>(state.range(0)));
  Aead aead(Aead::Key{1});
  const Aead::Nonce nonce{};
  aead.close(nonce, datagram.header, datagram.head(), datagram.body(), datagram.closed);
  for (auto _ : state) {
    if (!aead.open(nonce, datagram.header, datagram.closed, datagram.clear)) state.SkipWithError("forged");
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

BENCHMARK(close)->Arg(160)->Arg(1'456)->Arg(8'956)->Arg(65'000);
BENCHMARK(open)->Arg(160)->Arg(1'456)->Arg(8'956)->Arg(65'000);

}  // namespace
}  // namespace simcore

BENCHMARK_MAIN();
