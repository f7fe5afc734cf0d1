// SPDX-License-Identifier: MIT
//
// The queues that people can ask for. Of each its header has the parameters, a table of them and make_queue().
#include "simcore/link/cake.h"
#include "simcore/link/class_queue.h"
#include "simcore/link/cobalt.h"
#include "simcore/link/codel.h"
#include "simcore/link/dualpi2.h"
#include "simcore/link/fq_codel.h"
#include "simcore/link/fq_pie.h"
#include "simcore/link/pie.h"
#include "simcore/link/queue_model.h"
#include "simcore/link/red.h"
#include "simcore/options/option_table.h"
#include "simcore/units/error.h"

namespace simcore {

void require_no_bytes(const QueuePlace& place, const std::string& queue) {
  if (!place.bytes) return;
  throw ConfigError("make " + queue + " queue: its bound is in packets; leave the one in bytes out");
}

const OptionFamily<QueueModel>& queue_models() {
  static const OptionFamily<QueueModel> family("queue", "model",
                                               {
                                                   model<QueueModel>(Red::Config::options()),
                                                   model<QueueModel>(CodelConfig::options()),
                                                   model<QueueModel>(FqCodel::Config::options()),
                                                   model<QueueModel>(PieConfig::options()),
                                                   model<QueueModel>(FqPie::Config::options()),
                                                   model<QueueModel>(Cobalt::Config::options()),
                                                   model<QueueModel>(Cake::Config::options()),
                                                   model<QueueModel>(DualPi2::Config::options()),
                                                   model<QueueModel>(PriorityConfig::options()),
                                                   model<QueueModel>(WeightedConfig::options()),
                                               });
  return family;
}

}  // namespace simcore
