// SPDX-License-Identifier: MIT
//
// FigureCondition: whether a figure of a snapshot's row compares in some way with a value. It reads that row alone.
//
//   FigureCondition full(network, {.section = FigureCondition::Section::links, .element = "a-b:a-eth1>b-eth1",
//                                  .figure = "queue_packets", .is = FigureCondition::Comparison::at_least, .value = 20});
//   while (!full.holds() && simulation.fire_next(end)) {}
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "simcore/network/simulated_network.h"
#include "simcore/network/snapshot.h"

namespace simcore {

class FigureCondition {
 public:
  enum class Section : std::uint8_t { links, nodes, interfaces, applications, connections };
  enum class Comparison : std::uint8_t { less, at_most, equal, other, at_least, more, changes };
  using Value = std::variant<std::int64_t, std::string>;  // a label, such as a connection's state, is text

  struct Config {
    Section section;
    std::string element;  // the name of the row
    std::string figure;   // or label; "dropped": the sum of all reasons
    Comparison is;
    Value value = std::int64_t{0};  // of `changes` none: what it is when the condition is made
  };

  // Throws ConfigError: there is no such element, it has no such figure, or text is to be more or less than something. A
  // connection may come later, and has its figures when it does; till then the condition does not hold. The network must
  // outlive it, and no element be taken out.
  FigureCondition(const SimulatedNetwork& network, Config config);

  bool holds() const;

 private:
  std::size_t find() const;
  std::optional<SnapshotRow> row() const;
  std::optional<Value> value() const;

  const SimulatedNetwork& network_;
  Config config_;
  std::size_t
      place_;  // of a direction, a node, an interface, or the host with that application or connection
  std::optional<Value> first_;
};

}  // namespace simcore
