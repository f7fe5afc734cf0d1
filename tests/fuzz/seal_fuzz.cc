// SPDX-License-Identifier: MIT
//
// What comes to a SealedTransport that has shaken hands with its peer: hellos, datagrams, counters, keys that change, words
// of the peer said again. What is looked for: reads outside of a datagram, anything that enters without being the peer's,
// anything that enters twice, a peer that is not heard any more.
//
// Input: a run of datagrams: how to help it past the first checks, length, bytes.
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "simcore/portal/sealed_transport.h"
#include "tests/fuzz/input.h"
#include "tests/simcore/portal/carrier.h"

namespace simcore::peering {
namespace {

using Bytes = Carrier::Bytes;

constexpr RunKey kKey = {7};
constexpr std::uint64_t kDatagramsPerKey = 16;
constexpr std::size_t kLargestDatagram = 65'507;

class Run {
 public:
  // The peer says something, which is heard at once, or is not.
  void say(bool lost) {
    const std::string text = std::to_string(said_++);
    const Transport::Datagram datagram = {
        std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()), {}};
    peer_.send(std::span<const Transport::Datagram>(&datagram, 1));
    heard_.insert(heard_.end(), to_us_.begin(), to_us_.end());
    if (lost) to_us_.clear();
    take();
    answer();
  }

  void take_in(Bytes datagram) {
    to_us_.push_back(std::move(datagram));
    take();
    answer();
  }

  Bytes heard(std::size_t which) const { return heard_.empty() ? Bytes() : heard_[which % heard_.size()]; }

  // The peer is heard, whatever came.
  void check() {
    for (int i = 0; i < 4; ++i) say(false);
    const std::size_t before = entered_.size();
    say(false);
    if (entered_.size() != before + 1) std::abort();
  }

 private:
  void take() {
    for (const Transport::Received& each : us_.receive()) {
      const std::string text(each.bytes.begin(), each.bytes.end());
      if (text.size() > 10 || std::stoull(text) >= said_ || !entered_.insert(text).second) std::abort();
    }
  }

  void answer() {
    const std::uint8_t word = 'x';
    const Transport::Datagram datagram = {std::span(&word, 1), {}};
    us_.send(std::span<const Transport::Datagram>(&datagram, 1));
    peer_.receive();
    take();
  }

  std::deque<Bytes> to_us_;
  std::deque<Bytes> to_peer_;
  SealedTransport us_{std::make_unique<Carrier>(to_us_, to_peer_, kLargestDatagram), kKey, kDatagramsPerKey};
  SealedTransport peer_{std::make_unique<Carrier>(to_peer_, to_us_, kLargestDatagram), kKey,
                        kDatagramsPerKey};
  std::vector<Bytes> heard_;
  std::set<std::string> entered_;
  std::uint64_t said_ = 0;
};

}  // namespace
}  // namespace simcore::peering

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace simcore::peering;
  simcore::fuzz::Input input(data, size);
  Run run;
  for (int i = 0; i < 3; ++i) run.say(false);
  while (!input.empty()) {
    const std::uint8_t help = input.u8();
    const std::size_t length = input.u8();
    const auto given = input.take(length);
    Bytes datagram(given.begin(), given.end());
    if ((help & 1) != 0) run.say((help & 2) != 0);
    if ((help & 4) != 0) {  // something that was said, some bytes of it changed
      Bytes said = run.heard(help >> 4);
      for (std::size_t i = 0; i + 1 < datagram.size() && !said.empty(); i += 2)
        said[datagram[i] % said.size()] = datagram[i + 1];
      datagram = said;
    } else if ((help & 8) != 0 && datagram.size() >= 8) {
      std::memcpy(datagram.data(), &kSealMagic, sizeof kSealMagic);
    }
    if (!datagram.empty()) run.take_in(datagram);
  }
  run.check();
  return 0;
}
