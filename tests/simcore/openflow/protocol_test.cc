// SPDX-License-Identifier: MIT
//
// Errors of 1.3 as 1.0 counts them (OpenFlow 1.0.1, section 5.4.4), and as Nicira's extension does.
#include "simcore/openflow/protocol.h"

#include <gtest/gtest.h>

namespace simcore::openflow {
namespace {

using C = ErrorCode;

TEST(OpenFlowErrors, of_hellos_requests_and_actions_have_the_same_numbers_as_far_as_1_0_has_them) {
  EXPECT_EQ(in_version_10(error::kHelloIncompatible), (C{0, 0}));
  for (std::uint16_t code = 0; code <= 8; ++code) {
    EXPECT_EQ(in_version_10({1, code}), (C{1, code}));
    EXPECT_EQ(in_version_10({2, code}), (C{2, code}));
  }
  EXPECT_EQ(in_version_10(error::kIsSlave), error::kPermission);
  EXPECT_EQ(in_version_10(error::kActionTag), (C{2, 5}));  // BAD_ARGUMENT
}

TEST(OpenFlowErrors, of_flow_modifications_are_of_another_type) {
  EXPECT_EQ(in_version_10({5, 1}), (C{3, 0}));  // TABLE_FULL: ALL_TABLES_FULL
  EXPECT_EQ(in_version_10({5, 3}), (C{3, 1}));  // OVERLAP
  EXPECT_EQ(in_version_10({5, 4}), (C{3, 2}));  // EPERM
  EXPECT_EQ(in_version_10({5, 5}), (C{3, 3}));  // BAD_TIMEOUT: BAD_EMERG_TIMEOUT
  EXPECT_EQ(in_version_10({5, 6}), (C{3, 4}));  // BAD_COMMAND
  EXPECT_EQ(in_version_10({5, 0}), (C{3, 5}));  // UNKNOWN: UNSUPPORTED
}

TEST(OpenFlowErrors, of_ports_and_queues_are_of_other_types) {
  EXPECT_EQ(in_version_10(error::kPortModPort), (C{4, 0}));
  EXPECT_EQ(in_version_10(error::kPortModAddress), (C{4, 1}));
  EXPECT_EQ(in_version_10({7, 4}), (C{4, 0}));
  EXPECT_EQ(in_version_10(error::kQueuePort), (C{5, 0}));
}

TEST(OpenFlowErrors, that_1_0_has_no_word_for_are_niciras_or_a_matter_of_permission) {
  for (const ErrorCode each :
       {error::kBadTable, error::kRoleBad, error::kBadPort, error::kConfigFlags, error::kFlowFlags}) {
    EXPECT_EQ(in_version_10(each), kNiciraError);
    ASSERT_NE(nicira_error10(each), nullptr);
  }
  EXPECT_EQ(*nicira_error10(error::kBadTable), (C{1, 512}));
  EXPECT_EQ(*nicira_error10(error::kFlowFlags), (C{3, 258}));
  EXPECT_EQ(nicira_error10(error::kBadType), nullptr);
  EXPECT_EQ(in_version_10(error::kMatchPrerequisite), error::kPermission);
}

}  // namespace
}  // namespace simcore::openflow
