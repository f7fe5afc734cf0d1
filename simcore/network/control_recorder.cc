// SPDX-License-Identifier: MIT
#include "simcore/network/control_recorder.h"

#include "simcore/openflow/switch.h"

namespace simcore {

namespace {

constexpr char kDigits[] = "0123456789abcdef";

std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

// `rest` is further members.
std::string note_of(const openflow::Switch& of, std::uint64_t connection, const std::string& rest) {
  return "{\"control\":" + quoted(of.config().name) + ",\"connection\":" + std::to_string(connection) + "," +
         rest + "}";
}

}  // namespace

void ControlRecorder::opened(const openflow::Switch& of, std::uint64_t connection,
                             openflow::Session::Kind kind) {
  const bool service = kind == openflow::Session::Kind::service;
  record_.note_change(
      note_of(of, connection, service ? "\"opened\":\"service\"" : "\"opened\":\"controller\""));
}

void ControlRecorder::heard(const openflow::Switch& of, std::uint64_t connection,
                            std::span<const std::uint8_t> bytes) {
  std::string digits;
  digits.reserve(bytes.size() * 2);
  for (const std::uint8_t byte : bytes) {
    digits += kDigits[byte >> 4];
    digits += kDigits[byte & 15];
  }
  record_.note_change(note_of(of, connection, "\"heard\":\"" + digits + "\""));
}

void ControlRecorder::closed(const openflow::Switch& of, std::uint64_t connection) {
  record_.note_change(note_of(of, connection, "\"closed\":true"));
}

void ControlRecorder::carrier(const std::string& portal, bool there) {
  record_.note_change("{\"portal\":" + quoted(portal) + ",\"carrier\":" + (there ? "true" : "false") + "}");
}

}  // namespace simcore
