// SPDX-License-Identifier: MIT
//
// ClassQueue: packets in classes, each with a queue of its own. Class 0 is the first.
//
//   PriorityQueue   who is sent next is of the first class in which anybody waits
//   WeightedQueue   classes take turns, each with bytes in proportion to its weight: deficit round robin (Shreedhar and
//                   Varghese 1995)
//
// Classes are told by DSCP, the three bits of its class selector (RFC 2474): 7 and 6 are the first class, 0 is the last,
// and those between share what is between. What is no IP packet, such as ARP, is of the first class. Or they are told by
// flow: class i has the packets from or to the i-th of the `ports`, the last class all others; without ports, a hash
// spreads flows over the classes.
//
// All classes share the link's bounds. Who finds them reached is dropped, unless somebody of a later class (priority), or
// of a class that holds more than its share (weights), waits: then the newest of that class is.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "simcore/kernel/random.h"
#include "simcore/link/packet_fifo.h"
#include "simcore/link/queue_discipline.h"
#include "simcore/link/queue_model.h"

namespace simcore {

template <class T>
class OptionTable;

enum class ClassBy : std::uint8_t { dscp, flow };

struct PriorityConfig {
  ClassBy by = ClassBy::dscp;
  std::optional<std::int64_t> bands = {};  // classes by DSCP; absent: 3
  std::vector<std::int64_t> ports = {};

  bool operator==(const PriorityConfig&) const = default;
  static const OptionTable<PriorityConfig>& options();
};

struct WeightedConfig {
  ClassBy by = ClassBy::dscp;
  std::vector<std::int64_t> weights = {4, 2, 1};  // one for each class
  std::vector<std::int64_t> ports = {};
  ByteCount quantum = ByteCount::bytes(1'514);  // what a weight of 1 may send in a turn

  bool operator==(const WeightedConfig&) const = default;
  static const OptionTable<WeightedConfig>& options();
};

class ClassQueue : public QueueDiscipline {
 public:
  void look(const std::function<void(const Packet&)>& see) const override;
  std::int64_t packets() const override { return packets_; }
  ByteCount bytes() const override { return bytes_; }
  std::int64_t packets_of(std::size_t of_class) const { return classes_[of_class].packets(); }

 protected:
  struct Classes {
    ClassBy by;
    std::size_t count;
    std::vector<std::int64_t> ports;
  };

  ClassQueue(Classes classes, const QueuePlace& place, RandomStream random);

  // Whose newest packet goes where one of `coming` finds no room; `coming` itself where it is the one.
  virtual std::size_t victim(std::size_t coming) const = 0;
  PacketPtr pop_of(std::size_t of_class);

  void admit(PacketPtr packet, SimTime now, ByteCount on_wire) final;
  void hold(PacketPtr packet) override;
  std::vector<PacketPtr> drain() override;

  std::vector<PacketFifo> classes_;

 private:
  std::size_t class_of(const Packet& packet) const;
  bool fits(const Packet& packet, ByteCount on_wire) const;

  Classes told_;
  QueuePlace place_;
  std::uint64_t salt_;
  std::int64_t packets_ = 0;
  ByteCount bytes_ = ByteCount::zero();
};

class PriorityQueue final : public ClassQueue {
 public:
  // Throws ConfigError when classes are told by flow and there are no ports.
  PriorityQueue(const PriorityConfig& config, const QueuePlace& place, RandomStream random);

 private:
  std::size_t victim(std::size_t coming) const override;
  PacketPtr release(SimTime now) override;
};

class WeightedQueue final : public ClassQueue {
 public:
  // Throws ConfigError when there are ports, and not one weight more.
  WeightedQueue(const WeightedConfig& config, const QueuePlace& place, RandomStream random);

 private:
  std::size_t victim(std::size_t coming) const override;
  PacketPtr release(SimTime now) override;

  WeightedConfig config_;
  std::vector<std::int64_t> credit_;  // bytes that a class may still send in its turn
  std::size_t turn_ = 0;
  bool begins_ = true;  // the turn of turn_
};

std::unique_ptr<QueueDiscipline> make_queue(const PriorityConfig& config, const QueuePlace& place,
                                            RandomStream random);
std::unique_ptr<QueueDiscipline> make_queue(const WeightedConfig& config, const QueuePlace& place,
                                            RandomStream random);

}  // namespace simcore
