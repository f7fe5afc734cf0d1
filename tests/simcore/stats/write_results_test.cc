// SPDX-License-Identifier: MIT
#include "simcore/stats/write_results.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>
#include <string>

#include "simcore/stats/number_text.h"

namespace simcore {
namespace {

Results sample() {
  Results results{.run = "mm1-7", .attributes = {{"seed", "7"}, {"title", "a \"b\""}}};
  results.scalars.push_back({"net.queue", "lost, of all", 0.1});
  OutputVector vector("net.queue", "state", {"length", "bytes"});
  vector.record(SimTime::at_ns(1), {1, 64});
  vector.record(SimTime::at_ns(2'500'000'000), {0, std::numeric_limits<double>::infinity()});
  results.vectors.push_back(vector);
  HistogramResult histogram{"net.queue", "length", {}, LinearHistogram(0, 2, 2)};
  for (const double x : {0.5, 1.5, 2.5}) {
    histogram.stats.add(x);
    histogram.histogram.add(x);
  }
  results.histograms.push_back(histogram);
  return results;
}

template <class Write>
std::string written(Write write) {
  std::ostringstream out;
  write(out);
  return out.str();
}

TEST(NumberText, readsBackAsTheSameNumber) {
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(3.0), "3");
  EXPECT_EQ(number_text(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(number_text(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(std::stod(number_text(1.0 / 3)), 1.0 / 3);
}

TEST(NumberText, secondsKeepEveryNanosecond) {
  EXPECT_EQ(seconds_text(SimTime::at_ns(12'000'000'345)), "12.000000345");
  EXPECT_EQ(seconds_text(SimTime::at_ns(5)), "0.000000005");
  EXPECT_EQ(seconds_text(SimTime::at_ns(-5)), "-0.000000005");
  EXPECT_EQ(seconds_text(SimTime::never()), "9223372036.854775807");
}

TEST(WriteCsv, quotesWhereNeeded) {
  EXPECT_EQ(written([](auto& out) { write_scalars_csv(out, sample()); }),
            "run,element,name,value\nmm1-7,net.queue,\"lost, of all\",0.1\n");
}

TEST(WriteCsv, aVectorHasAColumnForEach) {
  EXPECT_EQ(written([](auto& out) { write_vector_csv(out, sample().vectors[0]); }),
            "time_ns,length,bytes\n1,1,64\n2500000000,0,inf\n");
}

TEST(WriteCsv, aHistogramNamesTheLowerBoundOfEachBin) {
  EXPECT_EQ(written([](auto& out) { write_histogram_csv(out, sample().histograms[0]); }),
            "lower_bound,weight\n-inf,0\n0,1\n1,1\n2,1\n");
}

TEST(WriteJsonLines, oneObjectALine) {
  EXPECT_EQ(
      written([](auto& out) { write_json_lines(out, sample()); }),
      "{\"type\":\"run\",\"run\":\"mm1-7\",\"attributes\":{\"seed\":\"7\",\"title\":\"a \\\"b\\\"\"}}\n"
      "{\"type\":\"scalar\",\"element\":\"net.queue\",\"name\":\"lost, of all\",\"value\":0.1}\n"
      "{\"type\":\"sample\",\"element\":\"net.queue\",\"name\":\"state\",\"time_ns\":1,\"length\":1,"
      "\"bytes\":64}\n"
      "{\"type\":\"sample\",\"element\":\"net.queue\",\"name\":\"state\",\"time_ns\":2500000000,\"length\":0,"
      "\"bytes\":null}\n"
      "{\"type\":\"histogram\",\"element\":\"net.queue\",\"name\":\"length\",\"count\":3,\"mean\":1.5,"
      "\"deviation\":1,\"low\":0,\"high\":2,\"below\":0,\"above\":1,\"bins\":[1,1]}\n");
}

TEST(WriteOmnetpp, scalarsAndStatistics) {
  EXPECT_EQ(written([](auto& out) { write_omnetpp_sca(out, sample()); }),
            "version 3\nrun mm1-7\nattr seed 7\nattr title \"a \\\"b\\\"\"\n\n"
            "scalar net.queue \"lost, of all\" 0.1\n"
            "statistic net.queue length\nfield count 3\nfield mean 1.5\nfield stddev 1\n"
            "field min 0.5\nfield max 2.5\nfield sum 4.5\nfield sqrsum 8.75\n"
            "bin -inf 0\nbin 0 1\nbin 1 1\nbin 2 1\n");
}

TEST(WriteOmnetpp, binsOfTheirOwnWidthsBeginWhereTheOneBeforeEnds) {
  Results results{.run = "r"};
  results.binned.push_back({"r1-r2", "sojourn_ns", {{0, 5}, {63, 2}, {1023, 1}}});
  EXPECT_EQ(written([&](auto& out) { write_omnetpp_sca(out, results); }),
            "version 3\nrun r\n\nstatistic r1-r2 sojourn_ns\nfield count 8\n"
            "bin -inf 0\nbin 0 5\nbin 1 2\nbin 64 1\nbin 1024 0\n");
}

TEST(WriteOmnetpp, aVectorForEachColumn) {
  EXPECT_EQ(written([](auto& out) { write_omnetpp_vec(out, sample()); }),
            "version 3\nrun mm1-7\nattr seed 7\nattr title \"a \\\"b\\\"\"\n\n"
            "vector 0 net.queue state:length TV\n0\t0.000000001\t1\n0\t2.500000000\t0\n"
            "vector 1 net.queue state:bytes TV\n1\t0.000000001\t64\n1\t2.500000000\tinf\n");
}

}  // namespace
}  // namespace simcore
