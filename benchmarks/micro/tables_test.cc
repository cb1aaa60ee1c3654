#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "benchmarks/micro/all_reduce_table.h"
#include "benchmarks/micro/layers/ratio_table.h"

namespace lockstep::benchmarks {
namespace {

// 4 MiB in 100 us on 4 ranks: 41.94 GB/s, and 1.5 times that on the links.
AllReduceTiming Timing() {
  return {.algorithm = "NcclAllReduce",
          .ranks = 4,
          .count = 1 << 20,
          .seconds = {300e-6, 100e-6, 90e-6}};
}

TEST(AllReduceTableTest, TimeIsTheMedian) {
  AllReduceTiming timing = Timing();
  EXPECT_DOUBLE_EQ(MedianSeconds(timing), 100e-6);
  timing.seconds.push_back(110e-6);
  EXPECT_DOUBLE_EQ(MedianSeconds(timing), 105e-6);
}

TEST(AllReduceTableTest, BandwidthsAreThoseOfNcclTests) {
  AllReduceTiming timing = Timing();
  EXPECT_DOUBLE_EQ(AlgBandwidth(timing), 4194304 / 100e-6);
  EXPECT_DOUBLE_EQ(BusBandwidth(timing), 4194304 / 100e-6 * 1.5);
  timing.ranks = 1;
  EXPECT_EQ(BusBandwidth(timing), 0);
  timing.count = 0;
  EXPECT_EQ(AlgBandwidth(timing), 0);
}

TEST(AllReduceTableTest, LinesStandUnderTheirHead) {
  EXPECT_EQ(
      AllReduceTableHead() + AllReduceTableLine(Timing()),
      "#       size         count      type   redop  ranks       time    algbw "
      "   busbw  #wrong  algorithm\n"
      "#        (B)    (elements)                                (us)   "
      "(GB/s)   (GB/s)\n"
      "     4194304       1048576   float32     sum      4     100.00    41.94 "
      "   62.91       0  NcclAllReduce\n");
}

TEST(AllReduceTableTest, AnEntryHasItsNameAndSamples) {
  AllReduceTiming timing = Timing();
  timing.op = ReduceOp::kMean;
  timing.wrong = 3;
  const Json entry = AllReduceEntry(timing);
  EXPECT_EQ(entry["name"],
            "AllReduce/algorithm:nccl_all_reduce/dtype:float32/redop:mean/"
            "bytes:4194304/replicas:4/device:gpu");
  EXPECT_EQ(entry["samples_us"].size(), 3u);
  EXPECT_DOUBLE_EQ(entry["real_time"].get<double>(), 100);
  EXPECT_EQ(entry["wrong"], 3);
}

TEST(RatioTableTest, PairsStandSideBySideWithTheirMedians) {
  EXPECT_EQ(
      RatioTable({{.name = "A/x:1/by:cudnn", .seconds = {8e-6, 9e-6, 1e-6}},
                  {.name = "B/by:own", .seconds = {30e-6}},
                  {.name = "A/x:1/by:own", .seconds = {2e-6, 4e-6}},
                  {.name = "B/by:cudnn", .seconds = {24e-6}},
                  {.name = "B/by:cudnn_persistent", .seconds = {300e-6}}}),
      "# own (us)  other (us)  own/other  entry\n"
      "      3.00        8.00      0.375  A/x:1/by:cudnn\n"
      "     30.00       24.00      1.250  B/by:cudnn\n"
      "     30.00      300.00      0.100  B/by:cudnn_persistent\n"
      "# own is the slower one in 1 of 3 pairs\n");
}

TEST(RatioTableTest, WhatWasNotMeasuredIsADash) {
  EXPECT_EQ(
      RatioTable({{.name = "A/by:cudnn", .error = "differs"},
                  {.name = "A/by:own", .seconds = {2e-6}},
                  {.name = "B/by:cudnn", .seconds = {1e-6}},
                  {.name = "C/by:own", .seconds = {1e-6}, .error = "broke off"},
                  {.name = "C/by:cudnn", .seconds = {1e-6}}}),
      "# own (us)  other (us)  own/other  entry\n"
      "      2.00           -          -  A/by:cudnn: differs\n"
      "         -        1.00          -  B/by:cudnn\n"
      "         -        1.00          -  C/by:cudnn\n"
      "# own is the slower one in 0 of 0 pairs\n");
}

// A run takes half a second, of the time that it says it took.
void HalfASecond(benchmark::State& state) {
  while (state.KeepRunningBatch(20)) state.SetIterationTime(10);
}

void Broken(benchmark::State& state) { state.SkipWithError("is broken"); }

class SampleCollectorTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto add = [](const char* name, void (*body)(benchmark::State&)) {
      benchmark::RegisterBenchmark(name, body)
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond)
          ->Repetitions(3);
    };
    add("Layer/x:2x3/by:own", HalfASecond);
    add("Layer/x:2x3/by:cudnn", Broken);
    benchmark::RunSpecifiedBenchmarks(&collector());
  }
  static SampleCollector& collector() {
    static SampleCollector collector;
    return collector;
  }
  static EntrySamples Entry(const std::string& name) {
    const auto entries = collector().entries();
    const auto found = std::ranges::find(entries, name, &EntrySamples::name);
    EXPECT_NE(found, entries.end()) << name;
    return found == entries.end() ? EntrySamples{} : *found;
  }
};

TEST_F(SampleCollectorTest, ASampleIsTheTimeOfOneRun) {
  const EntrySamples entry = Entry("Layer/x:2x3/by:own");
  EXPECT_EQ(entry.seconds, (std::vector<double>{0.5, 0.5, 0.5}));
  EXPECT_EQ(entry.error, "");
}

TEST_F(SampleCollectorTest, AnErrorHasItsReasonAndNoSample) {
  const EntrySamples entry = Entry("Layer/x:2x3/by:cudnn");
  EXPECT_TRUE(entry.seconds.empty());
  EXPECT_EQ(entry.error, "is broken");
}

TEST_F(SampleCollectorTest, EntriesHaveTheirOrderAndStatisticsAreNone) {
  const auto entries = collector().entries();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].name, "Layer/x:2x3/by:own");
  EXPECT_EQ(entries[1].name, "Layer/x:2x3/by:cudnn");
}

TEST(SampleCollectorOrderTest, IsThatOfRegistrationNotOfTheRuns) {
  benchmark::BenchmarkReporter::Run run;
  run.run_type = benchmark::BenchmarkReporter::Run::RT_Iteration;
  SampleCollector collector;
  for (const int index : {2, 0, 1, 0}) {
    run.family_index = index;
    run.run_name.function_name = std::string(1, static_cast<char>('a' + index));
    run.real_accumulated_time = index;
    collector.ReportRuns({run});
  }
  const auto entries = collector.entries();
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].name, "a");
  EXPECT_EQ(entries[0].seconds.size(), 2u);
  EXPECT_EQ(entries[1].name, "b");
  EXPECT_EQ(entries[2].name, "c");
  EXPECT_EQ(entries[2].seconds, std::vector<double>{2});
}

}  // namespace
}  // namespace lockstep::benchmarks
