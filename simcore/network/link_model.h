// SPDX-License-Identifier: MIT
//
// LinkModel: what one direction of a link does to packets, and ModelledLink, which puts it together:
//
//   entrance --> [loss] --> [duplicate] --> [corrupt] --> [ queue | rate | propagation ] --> [extra delay] --> sink
//
// Only what the model asks for is there. A model that is a Link::Config and nothing else is a Link and nothing else.
// The middle is a Link (drop-tail, a rate, also one that changes by slots), or before a Link without a rate, which delays,
// a ServedLink (other queues, token bucket, trace) or a FluidLink (drop-tail shared with a background, or drop-tail or RED
// shared with fluid that passes on its way through several links).
//
// Everything can be changed while it runs. What waits is handed over to the queue that comes, in its order; what has
// left the queue keeps its delay, and nothing that comes later overtakes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "simcore/kernel/simulation.h"
#include "simcore/link/background.h"
#include "simcore/link/corrupt.h"
#include "simcore/link/delay_model.h"
#include "simcore/link/duplicate.h"
#include "simcore/link/fluid_link.h"
#include "simcore/link/link.h"
#include "simcore/link/link_view.h"
#include "simcore/link/loss.h"
#include "simcore/link/nowhere.h"
#include "simcore/link/queue_model.h"
#include "simcore/link/rate_schedule.h"
#include "simcore/link/red_control.h"
#include "simcore/link/served_link.h"
#include "simcore/link/user_model.h"
#include "simcore/link/variable_delay.h"
#include "simcore/network/queue_statistics.h"

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
  struct UserRate {
    std::shared_ptr<UserModel> model;  // never null

    bool operator==(const UserRate& other) const { return model->origin() == other.model->origin(); }
  };

  LinkModel(const Link::Config& config) : link(config) {}  // NOLINT: a Link::Config is a model

  bool impaired() const { return loss || duplicate > 0 || errors; }
  // Whether the queue or the rate model takes two events per packet.
  bool served() const;

  Link::Config link;
  LossModel loss;  // null: none
  double duplicate = 0;
  ErrorModel errors;                // null: none
  DelayModel extra_delay;           // beyond the link's own, which is its least; null: none
  bool in_order = false;            // extra delays do not reorder
  bool watched = false;             // the queue has statistics
  BackgroundModel background = {};  // what shares a drop-tail queue with the packets; null: nothing
  // What loss, extra_delay and background were made from, as text: one that is asked for again goes on where it is.
  // Empty: anew.
  std::string loss_origin = {};
  std::string extra_delay_origin = {};
  std::string background_origin = {};
  QueueModel queue = {};
  using RateModel = std::variant<std::monostate, TokenBucket, Opportunities, Slots, UserRate>;
  RateModel rate_model = std::monostate{};  // monostate: the rate of the link
};

class ModelledLink final : private PacketSink {
 public:
  // Simulation, pool and sink must outlive it. Throws ConfigError when a value is out of its range, or parts of the
  // model contradict each other.
  ModelledLink(Simulation& simulation, PacketPool& pool, const std::string& name, const LinkModel& model,
               PacketSink& sink);

  // Where packets go in; may be another one after change() and set_up().
  PacketSink& entrance() {
    if (!up_) return refused_;
    return direct_ != nullptr ? *direct_ : *this;
  }

  // Down: what is offered is dropped as `link_down`, and so is what arrives while it is down; what is on its way goes on,
  // and arrives if the link is up again by then. It takes the same time however much that is.
  void set_up(bool up);
  bool up() const { return up_; }

  // From now on what comes out goes to `sink`, which must outlive it.
  void lead_to(PacketSink& sink) {
    sink_ = &sink;
    set_up(up_);
  }

  // What arrives at the far end at one instant comes in the order of ranks. Before the first packet.
  void set_rank(std::uint64_t rank) { link_.set_rank(rank); }

  // From now on the sink gets packets as soon as it is known when they arrive, their first_arrival being that instant: at
  // least the propagation delay ahead. Before the first packet; such a link has no extra delay, and stays as it is.
  void give_ahead() { link_.give_ahead(); }

  // The end of a link that is to be destroyed, and that nobody attaches to any more. From now on nothing comes out.
  // shed() then frees at most about `most` packets, and says whether that was not all: a link with many of them is emptied
  // bit by bit.
  void retire();
  bool shed(std::size_t most);

  // A change that is possible; see prepare().
  class Change {
   private:
    friend class ModelledLink;
    explicit Change(const LinkModel& to) : model(to) {}

    LinkModel model;
    std::unique_ptr<QueueDiscipline> queue;    // null: as it is, or none
    ServedLink::MakeServer make_server;        // null: as it is, or none
    std::unique_ptr<Server> first_server;      // for a ServedLink that is not there yet
    std::unique_ptr<BackgroundSource> source;  // null: as it is, or none
    std::unique_ptr<RedControl> red;           // null: as it is, or none
  };

  // Checks a change and makes what it needs. Throws ConfigError: a value is out of its range, or parts of the model
  // contradict each other.
  Change prepare(const LinkModel& model) const;

  // From now on the model that was prepared, at this instant. Nothing that was accepted is lost or overtaken, and all
  // counts go on. What waits goes on in the new queue and at the new rate; what is on the wire, or beyond, keeps its
  // delay. A queue or a rate model whose parameters change begins anew: CoDel's and RED's control with what waits, a token
  // bucket full, slots with the first one.
  void apply(Change change);
  void change(const LinkModel& model) { apply(prepare(model)); }

  // From now on fluid passes here, also after changes of the model, which must allow it: there is a rate and a drop-tail
  // or RED queue, and nothing else that happens to packets but the propagation delay. Throws ConfigError where that is not so.
  void carry_fluid();
  // As FluidQueue. Precondition: carry_fluid() was called.
  void pass(std::int64_t bits_per_second, std::int64_t lost) { fluid_->pass(bits_per_second, lost); }
  FluidFeedback observe() { return fluid_->observe(); }
  // What the queue that fluid passes has counted of packets.
  const Link::Counters& beside_fluid() const { return fluid_->counters(); }
  // From now on `changed` is called after each change of the model, also of a rate by slots; null: nothing is.
  void tell_of_changes(std::function<void()> changed) { changed_ = std::move(changed); }

  const LinkModel& model() const { return model_; }
  const std::string& name() const { return name_; }
  Link::Counters counters() const;  // of all elements together
  std::uint64_t in_flight() const;  // segments
  std::uint64_t duplicated() const { return duplicate_ ? duplicate_->duplicated() : 0; }
  std::uint64_t corrupted() const { return corrupt_ ? corrupt_->corrupted() : 0; }
  // The queue, where it is not a Link's own, or was once; else null, also where fluid passes.
  const QueueDiscipline* queue() const { return served_ && !carries_fluid_ ? &served_->queue() : nullptr; }
  // Packets, by RED where fluid passes; none: there is no such queue.
  std::optional<std::uint64_t> marked_beside_fluid() const {
    return fluid_ && fluid_->controlled() ? std::optional(fluid_->marked()) : std::nullopt;
  }
  // What waits now; the frame that is being sent is among it where the queue is a Link's own.
  std::int64_t backlog_packets() {
    return link_.backlog_packets() + (served_ ? served_->queue().packets() : 0) +
           (fluid_ ? fluid_->backlog_packets() : 0);
  }
  ByteCount backlog_bytes() {
    return link_.backlog_bytes() + (served_ ? served_->queue().bytes() : ByteCount::zero()) +
           (fluid_ ? fluid_->backlog_bytes() : ByteCount::zero());
  }
  // What shares the queue with the packets; none: it has never had a background, nor fluid that passes.
  std::optional<FluidQueue::Counters> background() {
    return fluid_ ? std::optional(fluid_->background()) : std::nullopt;
  }
  // Appends what is in it; rests of trains that have not come yet are left out.
  void look(LinkView& view) const;
  const QueueStatistics* statistics() const { return statistics_.get(); }  // null: has never been watched

 private:
  // Where the impairments lead.
  class Core final : public PacketSink {
   public:
    explicit Core(ModelledLink& owner) : owner_(owner) {}
    void accept(PacketPtr packet) override;

   private:
    ModelledLink& owner_;
  };

  // Which element has queue and rate; link_ delays behind the others.
  enum class Middle : std::uint8_t { link, served, fluid };

  Middle middle_of(const LinkModel& model) const {
    if (model.background || carries_fluid_) return Middle::fluid;
    return model.served() ? Middle::served : Middle::link;
  }
  PacketSink& middle();
  void accept(PacketPtr packet) override;
  Link::Counters counters_of_elements() const;
  PacketSink& far_end() { return up_ ? *sink_ : lost_; }
  void check(const LinkModel& model) const;
  void check_carries_fluid(const LinkModel& model) const;
  std::unique_ptr<QueueDiscipline> make_queue(const LinkModel& model) const;
  std::unique_ptr<Server> make_server(const LinkModel& model) const;
  bool keeps_server(const LinkModel& model) const;
  void serve(Change& change);
  void flow(Change& change);
  void pass_through_plain(const LinkModel& model);
  Backlog hand_over();
  void take_over(Backlog backlog);
  void follow_slots();
  void impair();
  void delay_further(const LinkModel& model);
  void count_here();
  void watch(bool watched);

  Simulation& simulation_;
  PacketPool& pool_;
  std::string name_;
  LinkModel model_;
  PacketSink* sink_;
  bool carries_fluid_ = false;
  std::function<void()> changed_;
  std::unique_ptr<VariableDelay> delay_;
  Link link_;                           // the whole queue and wire, or what delays behind served_
  std::unique_ptr<ServedLink> served_;  // null: has never been needed
  std::unique_ptr<FluidLink> fluid_;    // null: has never been needed
  Middle middle_ = Middle::link;
  std::unique_ptr<RateSchedule> schedule_;
  std::unique_ptr<QueueStatistics> statistics_;  // of all queues that were here
  Core core_{*this};
  std::unique_ptr<Corrupt> corrupt_;  // these three together, or none
  std::unique_ptr<Duplicate> duplicate_;
  std::unique_ptr<Loss> loss_;
  bool up_ = true;
  Nowhere refused_;               // while it is down: what is offered,
  Nowhere lost_;                  // and what arrives
  PacketSink* direct_ = nullptr;  // the only element, which counts what is accepted; null: counted here
  std::uint64_t accepted_packets_ = 0;
  std::uint64_t accepted_bytes_ = 0;
};

}  // namespace simcore
