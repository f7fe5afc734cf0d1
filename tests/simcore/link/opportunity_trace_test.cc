// SPDX-License-Identifier: MIT
#include "simcore/link/opportunity_trace.h"

#include <gtest/gtest.h>

#include "simcore/units/error.h"

namespace simcore {
namespace {

std::string error_of(std::string_view text) {
  try {
    OpportunityTrace::parse(text, "t.up");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(OpportunityTrace, repeatsAfterItsLastLine) {
  const OpportunityTrace trace = OpportunityTrace::parse("0\n3\n3\n10\n", "t.up");
  EXPECT_EQ(trace.size(), 4U);
  EXPECT_EQ(trace.period(), Duration::ms(10));
  EXPECT_EQ(trace.time_of(2), SimTime::at_ns(3'000'000));
  EXPECT_EQ(trace.time_of(3), SimTime::at_ns(10'000'000));
  EXPECT_EQ(trace.time_of(4), SimTime::at_ns(10'000'000));  // 0 of the second repetition
  EXPECT_EQ(trace.time_of(9), SimTime::at_ns(23'000'000));
}

TEST(OpportunityTrace, findsTheFirstThatIsNotBefore) {
  const OpportunityTrace trace = OpportunityTrace::parse("0\r\n3\r\n3\r\n10", "t.up");
  for (const std::int64_t ns : {0LL, 1LL, 3'000'000LL, 3'000'001LL, 10'000'000LL, 10'000'001LL, 12'999'999LL,
                                20'000'000LL, 1'234'567'890LL}) {
    const SimTime time = SimTime::at_ns(ns);
    const std::uint64_t found = trace.first_at_or_after(time);
    EXPECT_GE(trace.time_of(found), time) << ns;
    if (found > 0) {
      EXPECT_LT(trace.time_of(found - 1), time) << ns;
    }
  }
}

TEST(OpportunityTrace, namesTheLineThatIsWrong) {
  EXPECT_NE(error_of("1\n2\nx\n").find("t.up: line 3 is 'x'"), std::string::npos);
  EXPECT_NE(error_of("1\n\n2\n").find("line 2 is ''"), std::string::npos);
  EXPECT_NE(error_of("1\n5\n4\n").find("line 3 is 4, before the 5"), std::string::npos);
  EXPECT_NE(error_of("-1\n").find("line 1 is '-1'"), std::string::npos);
  EXPECT_NE(error_of("1.5\n").find("line 1"), std::string::npos);
  EXPECT_NE(error_of("99999999999999999999\n").find("line 1"), std::string::npos);
  EXPECT_NE(error_of("").find("empty"), std::string::npos);
  EXPECT_NE(error_of("0\n0\n").find("last line is 0"), std::string::npos);
}

}  // namespace
}  // namespace simcore
