#include "benchmarks/micro/layers/sample_collector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace lockstep::benchmarks {
namespace {

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
