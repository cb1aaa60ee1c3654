#include "benchmarks/micro/all_reduce_table.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace lockstep::benchmarks
