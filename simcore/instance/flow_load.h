// SPDX-License-Identifier: MIT
//
// FlowLoad: the hosts of one OpenFlow switch, each behind a link of its own, which begin one flow after the other. Each is
// new to the switch, so the switch asks its controller; the flow's frame is answered when it comes to the host it is for.
//
//   host i --frame--> port i [ switch ] port j --frame--> host j        from one arrow to the other: the response time
//                            |        ^
//                            packet-in, packet-out and flows
//                            v        |
//                            controller
//
// Pairs of hosts take turns. What the controller has installed is in the tables and moves packets; before a pair's next flow
// the flows to its second host are deleted, as if they had expired, by one who manages the switch. So tables and controller
// stay as large as their hosts make them, however long it lasts.
//
// At most as many frames as `keep_under_way` says wait for their answer; each that is answered, or given up, makes room
// for the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "simcore/link/port.h"
#include "simcore/network/simulated_network.h"
#include "simcore/openflow/switch.h"
#include "simcore/units/log_histogram.h"
#include "simcore/units/time.h"

namespace simcore {

class FlowLoad {
 public:
  // What several loads count together.
  struct Counts {
    std::uint64_t answered = 0;
    std::uint64_t unanswered = 0;  // given up
    LogHistogram response_ns;      // of those answered, by the wall clock
  };

  // `number`: of the switch, from 0; with `hosts` it makes addresses that no other switch's hosts have. Hosts wait
  // `patience` for an answer. All three references must outlive it. Precondition: hosts >= 2.
  FlowLoad(std::uint32_t number, std::size_t hosts, Duration patience, openflow::Switch& of,
           SimulatedNetwork& network, Counts& counts);
  FlowLoad(const FlowLoad&) = delete;
  FlowLoad& operator=(const FlowLoad&) = delete;

  std::size_t hosts() const { return hosts_.size(); }
  Port& host(std::size_t index) { return *hosts_[index]; }

  // Every host says where it is, once the switch asks its controller at all. Goes on with each call of look_after(); counts
  // nothing.
  void announce() { announcing_ = true; }
  bool announced() const { return announced_; }

  // From now on so many frames are under way; 0: those that are come to their end. Precondition: announced().
  void keep_under_way(std::size_t window);
  // Some times a second: gives up what is not answered in time.
  void look_after();

  std::uint64_t answered() const { return answered_; }
  const openflow::Switch& of() const { return of_; }

 private:
  class Host final : public Port {
   public:
    Host(FlowLoad& load, std::size_t index) : load_(load), index_(index) {}
    void accept(PacketPtr packet) override;
    void give(PacketPtr packet) { emit(std::move(packet)); }

   private:
    FlowLoad& load_;
    std::size_t index_;
  };
  struct UnderWay {
    std::uint32_t number;
    std::size_t target;  // kEverybody: an announcement, which whoever gets it answers
    std::int64_t sent_ns;
  };

  static constexpr std::size_t kEverybody = SIZE_MAX;

  MacAddress mac_of(std::size_t host) const;
  Ipv4Address address_of(std::size_t host) const;
  void arrived(std::size_t host, std::span<const std::uint8_t> frame);
  void fill();
  bool begin_flow();
  bool send_announcement(std::size_t host);
  bool send(std::size_t source, std::size_t target, std::span<const std::uint8_t> frame);
  void go_on_announcing();
  void forget_flows_to(std::size_t host);
  void manage(std::span<const std::uint8_t> messages);

  std::uint32_t number_;
  Duration patience_;
  openflow::Switch& of_;
  SimulatedNetwork& network_;
  Counts& counts_;
  openflow::Session& manager_;
  std::vector<std::unique_ptr<Host>> hosts_;
  std::deque<UnderWay> under_way_;  // in the order of sending
  std::size_t window_ = 0;
  std::uint32_t next_ = 0;  // number of a frame
  std::uint64_t next_flow_ = 0;
  std::uint64_t answered_ = 0;
  std::size_t said_ = 0;  // hosts that have announced themselves
  bool announcing_ = false;
  bool announced_ = false;
};

}  // namespace simcore
