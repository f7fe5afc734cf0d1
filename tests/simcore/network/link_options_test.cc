// SPDX-License-Identifier: MIT
#include "simcore/network/link_options.h"

#include <gtest/gtest.h>

namespace simcore {
namespace {

TEST(LinkOptions, aReorderProbabilityThatChangesALittleIsAnotherModel) {
  LinkOptions before;
  before.reorder = {.probability = 1e-7, .gap = 1};
  LinkOptions after = before;
  after.reorder->probability = 2e-7;
  EXPECT_EQ(before.link_model("l").extra_delay_origin, before.link_model("l").extra_delay_origin);
  EXPECT_NE(before.link_model("l").extra_delay_origin, after.link_model("l").extra_delay_origin);
}

}  // namespace
}  // namespace simcore
