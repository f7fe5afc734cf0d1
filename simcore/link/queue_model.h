// SPDX-License-Identifier: MIT
//
// QueueModel: which queue a link has, with its parameters, before there is one. Empty: drop-tail.
//
// A model is a struct of parameters with operator==, a table of options, and a function that makes the queue:
//
//   std::unique_ptr<QueueDiscipline> make_queue(const Codel::Config&, const QueuePlace&, RandomStream);
//
// queue_models.cc lists those that people can ask for.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "simcore/kernel/random.h"
#include "simcore/link/queue_discipline.h"
#include "simcore/units/data.h"

namespace simcore {

template <class Model>
class OptionFamily;

// What the link has to say about its queue.
struct QueuePlace {
  std::int64_t packets = 1'000;         // that may wait
  std::optional<ByteCount> bytes = {};  // a bound in bytes besides
  std::optional<DataRate> rate = {};    // none: a trace or a plug-in decides when packets leave
};

// For queues that are bounded in packets only. Throws ConfigError.
void require_no_bytes(const QueuePlace& place, const std::string& queue);

class QueueModel {
 public:
  QueueModel() = default;
  template <class Config>
  requires(!std::same_as<Config, QueueModel>)
      QueueModel(const Config& config)  // NOLINT(google-explicit-constructor): every such struct is a model
      : model_(std::make_shared<const Of<Config>>(config)) {}

  bool drop_tail() const { return !model_; }
  // The parameters, where it is a model of that kind; else null.
  template <class Config>
  const Config* as() const {
    const auto* const same = dynamic_cast<const Of<Config>*>(model_.get());
    return same != nullptr ? &same->config : nullptr;
  }
  // Throws ConfigError when a parameter is out of its range, or needs what the place has not. Precondition: !drop_tail().
  std::unique_ptr<QueueDiscipline> make(const QueuePlace& place, RandomStream random) const {
    return model_->make(place, random);
  }
  bool operator==(const QueueModel& other) const {
    return model_ == other.model_ || (model_ && other.model_ && model_->equals(*other.model_));
  }

 private:
  struct Any {
    virtual ~Any() = default;
    virtual std::unique_ptr<QueueDiscipline> make(const QueuePlace& place, RandomStream random) const = 0;
    virtual bool equals(const Any& other) const = 0;
  };
  template <class Config>
  struct Of final : Any {
    explicit Of(const Config& given) : config(given) {}
    std::unique_ptr<QueueDiscipline> make(const QueuePlace& place, RandomStream random) const override {
      return make_queue(config, place, random);
    }
    bool equals(const Any& other) const override {
      const auto* const same = dynamic_cast<const Of*>(&other);
      return same != nullptr && config == same->config;
    }
    Config config;
  };

  std::shared_ptr<const Any> model_;
};

// The models there are, by their names.
const OptionFamily<QueueModel>& queue_models();

}  // namespace simcore
