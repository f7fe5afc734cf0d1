// SPDX-License-Identifier: MIT
//
// Session: one connection of a switch: frames messages out of bytes, agrees on a version, and keeps what OpenFlow says a
// connection has: its role, which messages it wants without asking, and what is on its way out. It knows no socket.
//
// Bounds: what came and is not handled is at most kMostInput; while more than kMostOutput waits to go out nothing more
// is handled, and what the controller would hear unasked is dropped.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "simcore/openflow/effort.h"
#include "simcore/openflow/protocol.h"
#include "simcore/openflow/wire.h"
#include "simcore/units/time.h"

namespace simcore::openflow {

class Session {
 public:
  enum class Kind : std::uint8_t {
    controller,  // that the switch connects to
    service,     // who connects to the switch: hears of nothing unasked, unless it says a miss_send_len
  };
  struct Header {
    std::uint8_t version;
    std::uint8_t type;
    std::uint16_t length;
    std::uint32_t xid;
  };

  static constexpr std::size_t kMostInput = 256 * 1'024;  // four of the largest messages
  static constexpr std::size_t kMostOutput = 1'024 * 1'024;

  // `versions`: bit n is OpenFlow's wire version n. `on_work`: it has something to send, or more to do.
  Session(Kind kind, std::uint32_t versions, std::function<void()> on_work);

  Kind kind() const { return kind_; }
  bool greeted() const { return greeted_; }  // both sides said hello, and agree
  Version version() const { return version_; }
  bool broken() const { return broken_; }  // the connection is to be closed, once the output has gone

  // Bytes of the other side. Precondition: at most room().
  void take_in(std::span<const std::uint8_t> bytes);
  std::size_t room() const { return kMostInput - (input_.size() - read_); }
  // The next whole message, with its header; empty: there is none, or it has to wait. It is valid until the next call.
  std::span<const std::uint8_t> next_message();
  // The message that next_message() gave is handled later: it is given again.
  void put_back() { read_ -= last_; }
  // A task is not done, or a whole message has come and is not handled.
  bool has_work() const;
  void nudge() { on_work_(); }

  // The other side has gone. What it said is still there to be handled; nobody hears the answers.
  void leave();
  bool left() const { return left_; }

  std::vector<std::uint8_t>& output() { return output_; }
  bool congested() const { return output_.size() > kMostOutput; }

  // Writes a message with what `write` appends behind the header; none when the other side has gone.
  void send(std::uint8_t type, std::uint32_t xid, const std::function<void(Writer&)>& write);
  static constexpr std::size_t kQuoted = 64;  // bytes of a refused message that its error repeats
  void send_error(ErrorCode code, std::span<const std::uint8_t> message);
  void greet();
  // Answers a hello. The version is then known, or the session broken.
  void take_hello(std::span<const std::uint8_t> message);
  void break_off() { broken_ = true; }
  std::uint32_t next_xid() { return ++xid_; }

  // What the controller wants to hear unasked: bits of reasons, as equal or master [0], and as slave [1].
  struct Asynchronous {
    std::array<std::uint32_t, 2> packet_in{3, 0};
    std::array<std::uint32_t, 2> port_status{7, 7};
    std::array<std::uint32_t, 2> flow_removed{15, 0};
  };
  Asynchronous asynchronous;
  Role role = Role::equal;
  std::uint16_t miss_send_len = 128;
  static constexpr std::uint16_t kInvalidTtlToController = 1U << 2;
  std::uint16_t config_flags = 0;
  // When the modification that next_message() gives has taken its time; none: it has not begun.
  std::optional<SimTime> served_at{};

  // What a message began and is yet to be done: nothing else of this session is handled before. Each call goes on until
  // the effort is spent or the session is congested; true: it is done. It may throw ProtocolError.
  using Task = std::function<bool(Effort&)>;
  Task task;
  bool task_modifies = false;         // it is done even if the other side has gone
  std::vector<std::uint8_t> task_of;  // the beginning of the message, for an error

  bool wants(const std::array<std::uint32_t, 2>& mask, unsigned reason) const {
    if (!greeted_ || broken_ || (kind_ == Kind::service && miss_send_len == 0)) return false;
    return (mask[role == Role::slave ? 1 : 0] >> reason & 1U) != 0;
  }

 private:
  void refuse_hello();

  Kind kind_;
  std::uint32_t versions_;
  std::function<void()> on_work_;
  Version version_ = Version::v13;
  bool greeted_ = false;
  bool broken_ = false;
  bool left_ = false;
  std::vector<std::uint8_t> input_;
  std::size_t read_ = 0;
  std::size_t last_ = 0;
  std::vector<std::uint8_t> output_;
  std::uint32_t xid_ = 0;
};

}  // namespace simcore::openflow
