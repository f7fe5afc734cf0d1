// SPDX-License-Identifier: MIT
//
// ChangeProcedure: makes one InstanceChange, from a thread that is not the loop's:
//
//   open portals, peers     here: system calls take their time
//   check, prepare          on the loop's thread, nothing of it carries a packet; what fails is undone
//   commit                  on the loop's thread: links out and in, portals and peers watched, nodes out, routes
//   close portals, peers, free     system calls here, packets on the loop's thread
//
// What is on the loop's thread is done in pieces of about kPiece, between two turns each. A commit of one piece, which is
// that of some hundred elements, happens at one instant of simulated time. The routes change at one instant in any case.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simcore/instance/instance.h"
#include "simcore/instance/instance_change.h"

namespace simcore {

class ChangeProcedure {
 public:
  static constexpr Duration kPiece = Duration::us(400);

  // `note`: what a record says of it, where there is one.
  ChangeProcedure(Instance& instance, const InstanceChange& change, const std::string& note)
      : instance_(instance), change_(change), note_(note) {}

  // Throws ConfigError, and what opening a portal throws; the instance is then as it was.
  void run();

 private:
  using Step = std::function<void()>;

  void refuse_while_recorded() const;
  void open_portals();
  void list_checks();
  void check_removed_link(const std::string& name);
  void check_removed_node(const std::string& name);
  void check_removed_portal(const std::string& name);
  void check_removed_peer(const std::string& name);
  void check_added_link(const InstanceChange::AddedLink& link);
  void check_free(const std::string& interface, const std::string& attempt) const;
  void check_portals() const;
  void list_preparation();
  void prepare_portal(std::unique_ptr<EmulationPortal> portal);
  void prepare_peer(std::unique_ptr<PeeringPortal> peer);
  void prepare_link(const InstanceChange::AddedLink& link);
  void check_routes(const std::string& node, const std::vector<RouteConfig>& routes) const;
  void list_commit();
  void remove_link(const std::string& name);
  void remove_peer(const std::string& name);
  void unwatch(const std::string& portal);
  void close_portals();
  void in_pieces(const std::vector<Step>& steps);

  Instance& instance_;
  const InstanceChange& change_;
  const std::string& note_;
  std::vector<std::unique_ptr<EmulationPortal>> opened_;
  std::vector<std::unique_ptr<PeeringPortal>> opened_peers_;
  std::set<std::string> removed_links_;
  std::set<std::string> removed_portals_;
  std::set<std::string> removed_peers_;
  std::set<std::string> removed_nodes_;
  std::set<std::string> removed_interfaces_;  // those of removed nodes, too
  std::set<const Port*> freed_;               // ends of removed links
  std::set<std::string> new_interfaces_;
  std::set<std::string> new_peers_;
  std::set<std::string> joined_;  // by new links: kind and name
  std::set<std::string> loose_;   // new portals that no new link joins
  std::set<std::string> paused_;  // portals that get another link
  std::vector<Step> checks_;
  std::vector<Step> preparation_;
  std::vector<Step> undo_;
  std::vector<Step> commit_;
  std::vector<Links::Prepared> links_;
  std::vector<Instance::Carrier> carriers_;
  std::vector<std::pair<DualStack*, DualStack::Routes>> routes_;
  std::vector<std::unique_ptr<EmulationPortal>> closing_;
  std::vector<std::unique_ptr<PeeringPortal>> closing_peers_;
};

}  // namespace simcore
