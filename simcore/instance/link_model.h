// SPDX-License-Identifier: MIT
//
// LinkModel: what one direction of a link does to packets, and ModelledLink, which puts it together:
//
//   entrance --> [loss] --> [duplicate] --> [corrupt] --> [ queue | wire | propagation ] --> [extra delay] --> sink
//
// Only what the model asks for is there. A model that is a Link::Config and nothing else is a Link and nothing else.
// The middle is a Link (drop-tail, a rate, also one that changes by slots) or a ServedLink (other queues, token
// bucket, trace).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "simcore/kernel/simulation.h"
#include "simcore/link/corrupt.h"
#include "simcore/link/delay_model.h"
#include "simcore/link/duplicate.h"
#include "simcore/link/fq_codel.h"
#include "simcore/link/link.h"
#include "simcore/link/loss.h"
#include "simcore/link/rate_schedule.h"
#include "simcore/link/red.h"
#include "simcore/link/served_link.h"
#include "simcore/link/variable_delay.h"

namespace simcore {

struct LinkModel {
  struct TokenBucket {  // its rate is the link's
    ByteCount burst;
    std::optional<DataRate> peak;

    bool operator==(const TokenBucket&) const = default;
  };
  struct Opportunities {
    OpportunityTrace trace;
    ByteCount bytes;

    bool operator==(const Opportunities&) const = default;
  };
  using Slots = std::vector<RateSchedule::Slot>;
  struct DropTailQueue {
    bool operator==(const DropTailQueue&) const = default;
  };
  struct CodelQueue {  // its limit is the link's, in packets
    CodelConfig config;

    bool operator==(const CodelQueue&) const = default;
  };

  LinkModel(const Link::Config& config) : link(config) {}  // NOLINT: a Link::Config is a model

  bool impaired() const { return loss || duplicate > 0 || errors; }
  // Whether the queue or the wire takes two events per packet.
  bool served() const;

  Link::Config link;
  LossModel loss;  // null: none
  double duplicate = 0;
  ErrorModel errors;       // null: none
  DelayModel extra_delay;  // beyond the link's own, which is its least; null: none
  bool in_order = false;   // extra delays do not reorder
  std::variant<DropTailQueue, Red::Config, CodelQueue, FqCodel::Config> queue = DropTailQueue{};
  std::variant<std::monostate, TokenBucket, Opportunities, Slots> wire =
      std::monostate{};  // monostate: the rate
};

class ModelledLink {
 public:
  // Simulation, pool and sink must outlive it. Throws ConfigError when a value is out of its range, or parts of the
  // model contradict each other.
  ModelledLink(Simulation& simulation, PacketPool& pool, const std::string& name, const LinkModel& model,
               PacketSink& sink);

  // Where packets go in; may be another one after change().
  PacketSink& entrance() { return *entrance_; }

  // From now on this model. What is in flight is neither lost nor overtaken. Throws ConfigError, and then nothing has
  // changed: a value is out of its range, or what cannot change would: queue, kind of wire, whether there is an extra
  // delay, and all but the rate where packets take two events.
  void change(const LinkModel& model);

  const LinkModel& model() const { return model_; }
  const std::string& name() const { return name_; }
  Link::Counters counters() const;  // of all elements together
  std::uint64_t in_flight() const;  // segments
  std::uint64_t duplicated() const { return duplicate_ ? duplicate_->duplicated() : 0; }
  std::uint64_t corrupted() const { return corrupt_ ? corrupt_->corrupted() : 0; }
  // The queue, where it is not a Link's own; else null.
  const QueueDiscipline* queue() const { return served_ ? &served_->queue() : nullptr; }

 private:
  void check(const LinkModel& model) const;
  std::unique_ptr<QueueDiscipline> make_queue() const;
  std::unique_ptr<Server> make_server() const;
  void impair();

  Simulation& simulation_;
  PacketPool& pool_;
  std::string name_;
  LinkModel model_;
  std::unique_ptr<VariableDelay> delay_;
  std::unique_ptr<Link> link_;  // one of these two
  std::unique_ptr<ServedLink> served_;
  std::unique_ptr<RateSchedule> schedule_;
  std::unique_ptr<Corrupt> corrupt_;  // these three together, or none
  std::unique_ptr<Duplicate> duplicate_;
  std::unique_ptr<Loss> loss_;
  PacketSink* entrance_ = nullptr;
  Link::Counters before_impairments_;  // what was accepted before there were any
};

}  // namespace simcore
