// SPDX-License-Identifier: MIT
#include "simcore/network/simulated_network.h"

namespace simcore {

void SimulatedNetwork::add_capture(const std::string& interface, const std::string& file) {
  nodes_.interface(interface, "capture into " + file);
  taps_.add_capture(interface, file);
}

void SimulatedNetwork::add_trace(const std::string& interface) {
  nodes_.interface(interface, "trace");
  taps_.add_trace(interface);
}

void SimulatedNetwork::add_link(const std::string& name, const Links::End& a, const Links::End& b,
                                const LinkModel& a_to_b, const LinkModel& b_to_a) {
  nodes_.claim("link", name);
  links_.add(name, a, b, a_to_b, b_to_a);
}

void SimulatedNetwork::change_link(const std::string& name, const std::optional<LinkModel>& a_to_b,
                                   const std::optional<LinkModel>& b_to_a, const std::string& note) {
  links_.change(name, a_to_b, b_to_a);
  if (taps_.recorder() != nullptr) taps_.recorder()->note_change(note);
}

void SimulatedNetwork::begin(const std::string& attempt, std::int64_t epoch_ns) {
  nodes_.check_joined(attempt);
  taps_.begin(epoch_ns);
  nodes_.announce();
}

}  // namespace simcore
