// SPDX-License-Identifier: MIT
//
// OpenFlowPortal: joins the OpenFlow switches of an instance to their controllers, by TCP, and lets whoever manages them
// connect.
//
//   controller --- TCP --- connection --- session of a switch
//   ovs-ofctl ---- Unix socket or TCP --- connection --- session of a switch
//
// All sockets are behind one descriptor. A connection that fails or ends is tried again, first after kFirstRetry and each
// time twice as long, up to what the switch says. Of many switches that want the same controller only kGreetingAtOnce
// connect at a time: the others would wait in the queue of its listening socket, which is short. A peer that is silent for
// Switch::kProbe (who manages a switch: kServiceProbe) is asked for an echo, and given up after as long again; so is one
// that does not greet in kPatience, or does not take the last that a broken session has to say. Who waits for the switch is
// not silent: while a session's input is full, nobody listens. A turn does a bounded
// part of the work (effort.h), in turn for all connections, so that no controller makes the instance late; what a session
// holds is bounded (session.h), and so are connections.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simcore/kernel/simulation.h"
#include "simcore/openflow/control_log.h"
#include "simcore/openflow/switch.h"
#include "simcore/realtime/pollable.h"
#include "simcore/sys/stream_socket.h"

namespace simcore {

class OpenFlowPortal final : public Pollable {
 public:
  // Where a switch finds controllers, and is found.
  struct Endpoints {
    std::vector<std::string> controllers;  // as StreamAddress::parse reads them
    std::vector<std::string> listens;
    Duration longest_retry = Duration::seconds(1);
  };

  struct Counters {
    std::uint64_t connections = 0;  // made with controllers
    std::uint64_t lost = 0;         // of these
    std::uint64_t received_bytes = 0;
    std::uint64_t sent_bytes = 0;
  };

  // `log`: hears what peers do, and must outlive it; null: nobody.
  OpenFlowPortal(Simulation& simulation, openflow::ControlLog* log) : simulation_(simulation), log_(log) {
    simulation_.schedule_in(due_, Duration::zero());
  }
  OpenFlowPortal(const OpenFlowPortal&) = delete;
  OpenFlowPortal& operator=(const OpenFlowPortal&) = delete;

  // From now on `of` has its connections. It must outlive the portal, or be removed. Throws ConfigError for an address
  // that is none, EnvironmentError for one that is taken.
  void add(openflow::Switch& of, const Endpoints& endpoints);
  void remove(openflow::Switch& of);

  int fd() const override { return watch_.fd(); }
  std::size_t poll() override;
  Flushed flush() override;

  const Counters& counters() const { return counters_; }

 private:
  static constexpr Duration kFirstRetry = Duration::ms(50);
  static constexpr Duration kSweep = Duration::ms(50);
  static constexpr Duration kHurry = Duration::ms(1);  // to the next sweep where more are to be connected
  static constexpr Duration kPatience = Duration::seconds(10);
  static constexpr Duration kServiceProbe = Duration::seconds(60);
  static constexpr int kConnectsAtOnce = 16;              // in one sweep
  static constexpr int kGreetingAtOnce = 32;              // connections to one address that have not greeted
  static constexpr std::size_t kReadAtOnce = 16 * 1'024;  // bytes of a connection in one turn
  static constexpr std::size_t kWriteAtOnce = 64 * 1'024;
  static constexpr std::size_t kWriteEffort = 200;  // of a system call
  static constexpr std::size_t kMostServices = 16;  // connections that one switch takes

  struct Controller {
    StreamAddress address;
    int greeting = 0;  // connections to it that have not greeted
  };

  struct Target {
    openflow::Switch* of;
    Controller* controller;
    Duration longest_retry;
    Duration retry = kFirstRetry;
    SimTime next_try = SimTime::zero();
    std::uint64_t connection = 0;  // 0: none
  };
  struct Listener {
    openflow::Switch* of;
    std::unique_ptr<StreamListener> socket;
  };
  struct Connection {
    std::uint64_t tag;
    openflow::Switch* of;
    StreamSocket socket;
    Target* target;                        // null: of a service
    openflow::Session* session = nullptr;  // null: not connected yet
    std::size_t written = 0;               // of its output
    SimTime opened = SimTime::zero();
    SimTime heard = SimTime::zero();
    bool greeting = false;  // it counts in its controller's
    bool probed = false;
    bool reading = true;
    bool writing = false;
    bool dirty = false;  // it is in dirty_
  };

  void sweep();
  bool connect_some();
  bool gave_up(const Connection& connection) const;
  bool is_behind(const Connection& connection) const;
  void greeted(Connection& connection);
  void try_to_connect(Target& target);
  void retry_later(Target& target);
  Connection& connection_of(openflow::Switch& of, StreamSocket socket, Target* target);
  void open(Connection& connection);
  void close(std::uint64_t tag);
  void accept(Listener& listener);
  std::size_t read(Connection& connection, openflow::Effort& effort);
  bool write(Connection& connection, openflow::Effort& effort);
  void serve(Connection& connection, openflow::Effort& effort);
  void watch(Connection& connection);
  void mark(std::uint64_t tag);
  void probe(Connection& connection);

  Simulation& simulation_;
  openflow::ControlLog* log_;
  StreamWatch watch_;
  std::map<std::string, Controller> controllers_;  // by address
  std::vector<std::unique_ptr<Target>> targets_;
  std::map<std::uint64_t, Listener> listeners_;  // by tag
  std::map<std::uint64_t, std::unique_ptr<Connection>> connections_;
  std::deque<std::uint64_t> dirty_;  // with output, or with input that waits; each once
  std::size_t first_ready_ = 0;      // where poll() begins among those that are ready
  std::uint64_t last_tag_ = 0;
  Counters counters_;
  EventFor<OpenFlowPortal, &OpenFlowPortal::sweep> due_{*this};
};

}  // namespace simcore
