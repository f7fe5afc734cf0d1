// SPDX-License-Identifier: MIT
//
// A simulated OpenFlow switch between a controller that may say anything and packets of any bytes. What is looked for:
// reads outside of buffers, arithmetic that overflows, a flow that is used after it has gone, output without end.
//
// Input: steps, each a byte and what it needs: bytes of the controller as they are, a message with a right header, a
// packet at a port, time, a link that goes down or up.
#include <cstdlib>
#include <vector>

#include "simcore/openflow/switch.h"
#include "tests/fuzz/input.h"

namespace simcore::openflow {
namespace {

constexpr std::uint32_t kPorts = 4;
constexpr std::size_t kMostAnswer = 64U << 20;

class Table final : public SwitchHost {
 public:
  explicit Table(bool standalone)
      : of_({.name = "s1",
             .dpid = 1,
             .versions = 1U << 1 | 1U << 4,
             .standalone = standalone,
             .table_size = 64},
            pool_, *this) {
    for (std::uint32_t number = 1; number <= kPorts; ++number)
      of_.add_port(number, "p", MacAddress::of(number));
    for (std::uint32_t number = 1; number <= kPorts; ++number) of_.set_link(number, true);
    session_ = &of_.connect(Session::Kind::controller, [] {});
  }

  void step(fuzz::Input& input) {
    const std::uint8_t what = input.u8();
    switch (what % 6) {
      case 0:
        say(input.take(input.u16() % 4'096));
        break;
      case 1:
      case 2: {
        const std::uint8_t type = input.u8();
        const auto body = input.take(input.u8());
        std::vector<std::uint8_t> message = {
            static_cast<std::uint8_t>((what & 8) != 0 ? 1 : 4), type, 0, 0, 0, 0, 0, 1};
        message.insert(message.end(), body.begin(), body.end());
        store_be16(message.data() + 2, static_cast<std::uint16_t>(message.size()));
        say(message);
        break;
      }
      case 3: {
        const auto frame = input.take(14 + input.u8());
        if (PacketPtr packet = pool_.copy_of(frame)) of_.receive(1 + what % kPorts, std::move(packet));
        break;
      }
      case 4:
        now_ = now_ + Duration::ms(input.u16());
        of_.tick();
        break;
      default:
        of_.set_link(1 + what % kPorts, (what & 128) != 0);
        break;
    }
    if (session_->output().size() > kMostAnswer) std::abort();
    session_->output().clear();
    if (session_->broken()) {
      of_.disconnect(*session_);
      session_ = &of_.connect(Session::Kind::controller, [] {});
    }
  }

 private:
  void say(std::span<const std::uint8_t> bytes) {
    session_->take_in(bytes.first(std::min(bytes.size(), session_->room())));
    Effort effort(kEffortAtOnce);
    of_.handle_input(*session_, effort);
  }

  SimTime now() const override { return now_; }
  void transmit(std::uint32_t /*port*/, PacketPtr packet) override {
    if (packet->size() == 0) std::abort();
  }
  void drop(DropReason /*reason*/, const Packet& /*packet*/) override {}
  void enable_port(std::uint32_t /*port*/, bool /*up*/) override {}
  void wake_at(SimTime time) override {
    if (time < now_ - Duration::seconds(1)) std::abort();
  }

  PacketPool pool_;
  SimTime now_ = SimTime::zero();
  Switch of_;
  Session* session_ = nullptr;
};

}  // namespace
}  // namespace simcore::openflow

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  simcore::fuzz::Input input(data, size);
  simcore::openflow::Table table((input.u8() & 1) != 0);
  for (int steps = 0; !input.empty() && steps < 2'000; ++steps) table.step(input);
  return 0;
}
