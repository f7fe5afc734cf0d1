// SPDX-License-Identifier: MIT
#include "simcore/portal/openflow_portal.h"

#include <algorithm>
#include <array>
#include <utility>

#include "simcore/openflow/message_type.h"

namespace simcore {

using openflow::Effort;
using openflow::kEffortAtOnce;
using openflow::Session;
using openflow::Switch;

void OpenFlowPortal::add(Switch& of, const Endpoints& endpoints) {
  std::vector<StreamAddress> addresses;
  for (const std::string& text : endpoints.controllers) addresses.push_back(StreamAddress::parse(text));
  std::vector<std::unique_ptr<StreamListener>> listeners;
  for (const std::string& text : endpoints.listens)
    listeners.push_back(std::make_unique<StreamListener>(StreamAddress::parse(text)));
  for (auto& listener : listeners) {
    const std::uint64_t tag = ++last_tag_;
    watch_.watch(listener->fd(), tag, true, false);
    listeners_[tag] = {&of, std::move(listener)};
  }
  if (!addresses.empty()) of.expect_controller();
  for (const StreamAddress& address : addresses) {
    Controller& controller = controllers_.try_emplace(address.text(), Controller{address}).first->second;
    targets_.push_back(std::make_unique<Target>(Target{&of, &controller, endpoints.longest_retry}));
  }
}

void OpenFlowPortal::remove(Switch& of) {
  std::vector<std::uint64_t> gone;
  for (const auto& [tag, connection] : connections_) {
    if (connection->of == &of) gone.push_back(tag);
  }
  for (const std::uint64_t tag : gone) close(tag);
  std::erase_if(targets_, [&of](const auto& target) { return target->of == &of; });
  for (auto place = listeners_.begin(); place != listeners_.end();) {
    if (place->second.of == &of) {
      watch_.unwatch(place->second.socket->fd());
      place = listeners_.erase(place);
    } else {
      ++place;
    }
  }
}

// Several times a second: tries to connect what is not, asks the silent, and gives up who does not answer.
void OpenFlowPortal::sweep() {
  const SimTime now = simulation_.now();
  const bool all = connect_some();
  std::vector<std::uint64_t> given_up;
  for (const auto& [tag, connection] : connections_) {
    const Duration probe_after = connection->target == nullptr ? kServiceProbe : Switch::kProbe;
    if (gave_up(*connection)) {
      given_up.push_back(tag);
    } else if (now - connection->heard >= probe_after && !connection->probed && !is_behind(*connection)) {
      probe(*connection);
    }
  }
  for (const std::uint64_t tag : given_up) close(tag);
  simulation_.schedule_in(due_, all ? kSweep : kHurry);
}

// False: there are more that want to be connected now.
bool OpenFlowPortal::connect_some() {
  int left = kConnectsAtOnce;
  bool all = true;
  for (const auto& target : targets_) {
    if (target->connection != 0 || target->next_try > simulation_.now()) continue;
    if (left == 0 || target->controller->greeting >= kGreetingAtOnce) {
      all = false;
    } else {
      --left;
      try_to_connect(*target);
    }
  }
  return all;
}

bool OpenFlowPortal::gave_up(const Connection& connection) const {
  if (is_behind(connection)) return false;
  const SimTime now = simulation_.now();
  const bool service = connection.target == nullptr;
  if (now - connection.heard >= (service ? kServiceProbe : Switch::kProbe) * 2) return true;
  if (connection.session == nullptr) return false;
  if (connection.session->broken()) return now - connection.heard >= kPatience;
  return !connection.session->greeted() && now - connection.opened >= kPatience;
}

// The switch has so much to do for the other side that it does not listen: whatever that says meanwhile waits in the socket.
bool OpenFlowPortal::is_behind(const Connection& connection) const {
  const Session* const session = connection.session;
  return session != nullptr && !session->broken() && session->room() < kReadAtOnce;
}

void OpenFlowPortal::probe(Connection& connection) {
  if (connection.session == nullptr || !connection.session->greeted()) return;
  connection.probed = true;
  connection.session->send(openflow::type::kEchoRequest, connection.session->next_xid(),
                           [](openflow::Writer&) {});
}

void OpenFlowPortal::try_to_connect(Target& target) {
  auto socket = StreamSocket::connect(target.controller->address);
  if (!socket) return retry_later(target);
  Connection& connection = connection_of(*target.of, std::move(*socket), &target);
  target.connection = connection.tag;
  connection.greeting = true;
  ++target.controller->greeting;
  connection.writing = true;  // writable says that it is decided
  connection.reading = false;
  watch_.watch(connection.socket.fd(), connection.tag, false, true);
}

void OpenFlowPortal::retry_later(Target& target) {
  target.next_try = simulation_.now() + target.retry;
  target.retry = std::min(target.retry * 2, target.longest_retry);
}

OpenFlowPortal::Connection& OpenFlowPortal::connection_of(Switch& of, StreamSocket socket, Target* target) {
  const std::uint64_t tag = ++last_tag_;
  auto made = std::make_unique<Connection>(Connection{tag, &of, std::move(socket), target});
  made->heard = simulation_.now();
  return *(connections_[tag] = std::move(made));
}

void OpenFlowPortal::open(Connection& connection) {
  const std::uint64_t tag = connection.tag;
  const auto kind = connection.target == nullptr ? Session::Kind::service : Session::Kind::controller;
  if (log_ != nullptr) log_->opened(*connection.of, tag, kind);
  connection.session = &connection.of->connect(kind, [this, tag] { mark(tag); });
  connection.opened = connection.heard = simulation_.now();
  if (connection.target != nullptr) ++counters_.connections;
}

void OpenFlowPortal::greeted(Connection& connection) {
  if (std::exchange(connection.greeting, false)) --connection.target->controller->greeting;
}

void OpenFlowPortal::close(std::uint64_t tag) {
  const auto found = connections_.find(tag);
  if (found == connections_.end()) return;
  Connection& connection = *found->second;
  watch_.unwatch(connection.socket.fd());
  if (connection.session != nullptr) {
    if (log_ != nullptr) log_->closed(*connection.of, tag);
    connection.of->disconnect(*connection.session);
  }
  if (connection.target != nullptr) {
    greeted(connection);
    if (connection.session != nullptr) ++counters_.lost;
    connection.target->connection = 0;
    retry_later(*connection.target);
  }
  connections_.erase(found);
}

void OpenFlowPortal::accept(Listener& listener) {
  auto socket = listener.socket->accept();
  if (!socket) return;
  const auto services = std::ranges::count_if(connections_, [&listener](const auto& each) {
    return each.second->of == listener.of && each.second->target == nullptr;
  });
  if (static_cast<std::size_t>(services) >= kMostServices) return;  // and it is closed
  Connection& connection = connection_of(*listener.of, std::move(*socket), nullptr);
  watch_.watch(connection.socket.fd(), connection.tag, true, false);
  open(connection);
}

std::size_t OpenFlowPortal::poll() {
  std::size_t handled = 0;
  Effort effort(kEffortAtOnce);
  const std::vector<StreamWatch::Ready>& all = watch_.look();
  // Not always the same first: they share the effort.
  for (std::size_t at = 0; at < all.size(); ++at) {
    const StreamWatch::Ready& ready = all[(first_ready_ + at) % all.size()];
    if (const auto listener = listeners_.find(ready.tag); listener != listeners_.end()) {
      accept(listener->second);
      continue;
    }
    const auto found = connections_.find(ready.tag);
    if (found == connections_.end()) continue;
    Connection& connection = *found->second;
    if (connection.session == nullptr) {
      if (connection.socket.failed()) {
        close(ready.tag);
        continue;
      }
      open(connection);
    }
    if (ready.writable) mark(ready.tag);
    if (ready.readable && !effort.spent()) handled += read(connection, effort);
  }
  ++first_ready_;
  return handled;
}

std::size_t OpenFlowPortal::read(Connection& connection, Effort& effort) {
  std::array<std::uint8_t, kReadAtOnce> bytes;
  const std::size_t room = std::min(bytes.size(), connection.session->room());
  if (room == 0) {
    mark(connection.tag);
    return 0;
  }
  const std::ptrdiff_t count = connection.socket.read(std::span(bytes).first(room));
  if (count < 0) {
    close(connection.tag);
    return 0;
  }
  if (count == 0) return 0;
  counters_.received_bytes += static_cast<std::uint64_t>(count);
  connection.heard = simulation_.now();
  connection.probed = false;
  const auto said = std::span(bytes).first(static_cast<std::size_t>(count));
  if (log_ != nullptr) log_->heard(*connection.of, connection.tag, said);
  connection.session->take_in(said);
  serve(connection, effort);
  mark(connection.tag);
  return 1 + static_cast<std::size_t>(count) / 64;
}

void OpenFlowPortal::serve(Connection& connection, Effort& effort) {
  const bool more = connection.of->handle_input(*connection.session, effort);
  if (connection.greeting && connection.session->greeted()) {
    connection.target->retry = kFirstRetry;
    greeted(connection);
  }
  if (more) mark(connection.tag);
}

void OpenFlowPortal::mark(std::uint64_t tag) {
  const auto found = connections_.find(tag);
  if (found == connections_.end() || found->second->dirty) return;
  found->second->dirty = true;
  dirty_.push_back(tag);
}

// One after the other, as far as the effort goes; who has more to do comes again behind the others.
Pollable::Flushed OpenFlowPortal::flush() {
  Flushed flushed;
  Effort effort(kEffortAtOnce);
  for (std::size_t left = dirty_.size(); left > 0 && !effort.spent(); --left) {
    const std::uint64_t tag = dirty_.front();
    dirty_.pop_front();
    const auto found = connections_.find(tag);
    if (found == connections_.end()) continue;
    Connection& connection = *found->second;
    connection.dirty = false;
    if (connection.session == nullptr) continue;
    ++flushed.frames;
    if (!write(connection, effort)) {
      close(tag);
      continue;
    }
    if (connection.session->has_work()) serve(connection, effort);
    if (connection.session->broken() && connection.session->output().empty()) {
      close(tag);
      continue;
    }
    watch(connection);
  }
  flushed.left = !dirty_.empty();
  return flushed;
}

// What the kernel takes of the output. False: the connection is over.
bool OpenFlowPortal::write(Connection& connection, Effort& effort) {
  std::vector<std::uint8_t>& output = connection.session->output();
  if (connection.written < output.size()) {
    const auto rest = std::span<const std::uint8_t>(output).subspan(connection.written);
    const std::ptrdiff_t count = connection.socket.write(rest.first(std::min(rest.size(), kWriteAtOnce)));
    if (count < 0) return false;
    connection.written += static_cast<std::size_t>(count);
    counters_.sent_bytes += static_cast<std::uint64_t>(count);
    effort.spend(kWriteEffort + static_cast<std::size_t>(count) / 32);
  }
  if (connection.written == output.size()) {
    output.clear();
    connection.written = 0;
    if (output.capacity() > 2 * Session::kMostOutput) output.shrink_to_fit();
  } else if (connection.written > Session::kMostOutput / 4) {
    output.erase(output.begin(), output.begin() + static_cast<std::ptrdiff_t>(connection.written));
    connection.written = 0;
  }
  return true;
}

// Waits for what it needs: room at the kernel's, and input while there is room for that.
void OpenFlowPortal::watch(Connection& connection) {
  const Session& session = *connection.session;
  const bool writing = !connection.session->output().empty();
  const bool reading = !is_behind(connection) && !session.congested() && !session.broken();
  if (writing == connection.writing && reading == connection.reading) return;
  connection.writing = writing;
  if (reading && !connection.reading) connection.heard = simulation_.now();
  connection.reading = reading;
  watch_.change(connection.socket.fd(), connection.tag, reading, writing);
}

}  // namespace simcore
