#include "benchmarks/measurement/training_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <thread>

#include "benchmarks/measurement/machine_context.h"
#include "benchmarks/measurement/result_entry.h"
#include "reference/base/error.h"

namespace lockstep::benchmarks {
namespace {

TEST(EntryNameTest, KeepsTheOrderOfItsParts) {
  EXPECT_EQ(EntryName("Train")
                .With("workload", "fashion_mnist_cnn")
                .With("replicas", 2)
                .With("device", "cpu")
                .str(),
            "Train/workload:fashion_mnist_cnn/replicas:2/device:cpu");
}

TEST(EntryNameTest, PathMayHaveSlashes) {
  EXPECT_EQ(EntryName("input/rebatch").With("device", "cpu").str(),
            "input/rebatch/device:cpu");
}

TEST(EntryNameTest, RefusesWhatWouldReadAsAnotherPart) {
  EXPECT_THROW(EntryName(""), Error);
  EXPECT_THROW(EntryName("a b"), Error);
  EXPECT_THROW(EntryName("a").With("b", "c/d"), Error);
  EXPECT_THROW(EntryName("a").With("b:c", "d"), Error);
  EXPECT_THROW(EntryName("a").With("", "d"), Error);
  EXPECT_THROW(EntryName("a").With("b", ""), Error);
}

TEST(MedianTest, IsTheMiddleOfAnOddNumber) {
  EXPECT_EQ(Median({3, 1, 2}), 2);
  EXPECT_EQ(Median({7}), 7);
}

TEST(MedianTest, IsTheMeanOfTheTwoInTheMiddleOfAnEvenNumber) {
  EXPECT_EQ(Median({4, 3, 1, 2}), 2.5);
  EXPECT_EQ(Median({1, 2}), 1.5);
}

TEST(MachineContextTest, TellsMachineVersionsAndCommit) {
  const Json context = MachineContext();
  EXPECT_EQ(context["num_cpus"].get<unsigned>(),
            std::thread::hardware_concurrency());
  EXPECT_GT(context["memory_bytes"].get<int64_t>(), 0);
  EXPECT_FALSE(context["cpu_model"].get<std::string>().empty());
  EXPECT_TRUE(std::regex_match(context["onednn"].get<std::string>(),
                               std::regex(R"(\d+\.\d+\.\d+)")));
  EXPECT_TRUE(std::regex_match(context["commit"].get<std::string>(),
                               std::regex("[0-9a-f]{40}|unknown")));
  EXPECT_TRUE(context["commit_has_changes"].is_boolean());
}

TEST(MachineContextTest, DateIsIso8601InUtc) {
  EXPECT_TRUE(std::regex_match(
      CurrentDate(), std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00)")))
      << CurrentDate();
}

TrainingResult MakeRun(int replicas, std::vector<double> blocks,
                       std::vector<double> epochs = {6000}) {
  TrainingResult result;
  result.workload = "fashion_mnist_cnn";
  result.optimizer = "adam";
  result.steps_per_block = 25;
  result.replicas = replicas;
  result.threads_per_replica = 2 / replicas;
  result.global_batch_size = 64 * replicas;
  result.steps = 100;
  result.blocks = std::move(blocks);
  result.phase_ms = {0.25, 2, 4, 0.5, 0.125, 0};
  for (double items_per_second : epochs) {
    result.epochs.push_back(
        {.epoch_num = static_cast<int>(result.epochs.size()) + 1,
         .loss = 0.5,
         .quality = 0.82,
         .test_loss = 0.4,
         .test_quality = 0.855,
         .seconds = 10,
         .items_per_second = items_per_second});
  }
  result.copies_bitwise_equal = true;
  return result;
}

TEST(TrainingResultTest, SpeedIsTheMedianBlock) {
  EXPECT_EQ(ItemsPerSecond(MakeRun(1, {9000, 1000, 8000})), 8000);
  EXPECT_EQ(ItemsPerSecond(MakeRun(1, {9000, 1000, 8000, 7000})), 7500);
}

TEST(TrainingResultTest, WithoutAWholeBlockTheEpochsCount) {
  EXPECT_EQ(ItemsPerSecond(MakeRun(1, {})), 6000);
  TrainingResult nothing;
  EXPECT_EQ(ItemsPerSecond(nothing), 0);
}

TEST(TrainingResultTest, EfficiencyIsTheMedianOfTheRatiosEpochByEpoch) {
  // The machine slows down in the third epoch: the ratios are 0.5, 0.75 and
  // 1, whereas the medians of the two runs would give 4000 / 8000.
  const std::vector<TrainingResult> all = {MakeRun(1, {}, {8000, 8000, 2000}),
                                           MakeRun(2, {}, {4000, 6000, 2000})};
  EXPECT_EQ(Efficiency(all[0], all), 1.0);
  EXPECT_EQ(Efficiency(all[1], all), 0.75);
}

TEST(TrainingResultTest, EfficiencyTakesTheEpochsOfBoth) {
  const std::vector<TrainingResult> all = {MakeRun(1, {}, {8000}),
                                           MakeRun(2, {}, {4000, 8000})};
  EXPECT_EQ(Efficiency(all[1], all), 0.5);
  EXPECT_EQ(Efficiency(all[1], {all[1]}), std::nullopt);
  EXPECT_EQ(Efficiency(all[1], {MakeRun(1, {}, {}), all[1]}), std::nullopt);
  EXPECT_EQ(Efficiency(all[1], {MakeRun(1, {}, {0}), all[1]}), std::nullopt);
}

TEST(TrainingResultTest, OverheadIsTheMedianOfTheRatiosEpochByEpoch) {
  TrainingResult none = MakeRun(1, {}, {8000, 8000, 2500});
  none.mirrored = false;
  const std::vector<TrainingResult> all = {
      none, MakeRun(1, {}, {4000, 6400, 2000}), MakeRun(2, {}, {8000})};
  EXPECT_EQ(StrategyOverhead(all[1], all), 0.25);
  EXPECT_EQ(StrategyOverhead(all[0], all), std::nullopt);
  EXPECT_EQ(StrategyOverhead(all[2], all), std::nullopt);
  EXPECT_EQ(StrategyOverhead(all[1], {all[1], all[2]}), std::nullopt);
  EXPECT_EQ(Efficiency(all[0], all), std::nullopt);
  EXPECT_EQ(Efficiency(all[2], all), 2.0);
}

TEST(TrainingResultTest, EntriesTellOfTheStrategy) {
  TrainingResult none = MakeRun(1, {}, {8000});
  none.mirrored = false;
  const std::vector<TrainingResult> all = {none, MakeRun(1, {}, {6400})};
  const Json without = ToJson(all[0], all);
  EXPECT_EQ(without["name"],
            "Train/workload:fashion_mnist_cnn/replicas:1/"
            "global_batch_size:64/strategy:none/device:cpu");
  EXPECT_EQ(without["strategy"], "none");
  EXPECT_FALSE(without.contains("strategy_overhead"));
  EXPECT_EQ(ToJson(all[1], all)["strategy"], "mirrored");
  EXPECT_EQ(ToJson(all[1], all)["strategy_overhead"], 0.25);
  const std::string table = FormatTable(all);
  EXPECT_THAT(table, testing::HasSubstr("1*"));
  EXPECT_THAT(table, testing::HasSubstr("a step takes 25.00 % more under"));
}

TEST(TrainingResultTest, EntriesTellWhatLibrariesTakeOfAStep) {
  TrainingResult result = MakeRun(1, {6400});  // 10 ms a step
  EXPECT_FALSE(ToJson(result, {result}).contains("library_calls"));
  result.library = {.calls = 7, .milliseconds = 8};
  const Json wanted = {
      {"calls", 7}, {"milliseconds", 8.0}, {"step_over_library", 1.25}};
  EXPECT_EQ(ToJson(result, {result})["library_calls"], wanted);
  EXPECT_THAT(FormatTable({result}),
              testing::HasSubstr("1.25 times what its 7 calls"));
}

// 2 workers with a replica each.
TrainingResult MakeWorkersRun(std::vector<double> epochs) {
  TrainingResult result = MakeRun(1, {6400}, std::move(epochs));
  result.workers = 2;
  result.global_batch_size = 128;
  return result;
}

TEST(TrainingResultTest, SeveralWorkersAreComparedWithOneWithAsManyReplicas) {
  const std::vector<TrainingResult> all = {MakeRun(1, {}, {8000}),
                                           MakeRun(2, {}, {4000, 8000}),
                                           MakeWorkersRun({3000, 6000})};
  EXPECT_EQ(OverOneWorker(all[2], all), 0.75);
  EXPECT_EQ(Efficiency(all[2], all), 0.375);
  EXPECT_EQ(OverOneWorker(all[1], all), std::nullopt);
  EXPECT_EQ(OverOneWorker(all[2], {all[0], all[2]}), std::nullopt);
  EXPECT_EQ(Efficiency(all[1], {all[1], all[2]}), std::nullopt)
      << "the one replica of two workers is no run of one replica";
}

TEST(TrainingResultTest, CommunicationIsAShareOfAMeanStep) {
  TrainingResult result = MakeWorkersRun({6000});
  EXPECT_FALSE(CommunicationOf(result));
  result.reduce_ms = {0.25, 0.5};  // of steps of 6.875 ms
  ASSERT_TRUE(CommunicationOf(result));
  EXPECT_EQ(CommunicationOf(result)->milliseconds, 0.375);
  EXPECT_DOUBLE_EQ(CommunicationOf(result)->share, 0.375 / 6.875);
  result.phase_ms = {};
  EXPECT_FALSE(CommunicationOf(result)) << "no step was measured";
}

TEST(TrainingResultTest, EntriesOfSeveralWorkersSaySo) {
  std::vector<TrainingResult> all = {MakeRun(2, {}, {4000}),
                                     MakeWorkersRun({3000})};
  all[1].reduce_ms = {0.6875};
  const Json entry = ToJson(all[1], all);
  EXPECT_EQ(entry["name"],
            "Train/workload:fashion_mnist_cnn/workers:2/replicas:1/"
            "global_batch_size:128/device:cpu");
  EXPECT_EQ(entry["workers"], 2);
  EXPECT_EQ(entry["over_one_worker"], 0.75);
  EXPECT_EQ(entry["communication_ms"], 0.6875);
  EXPECT_DOUBLE_EQ(entry["communication_share"].get<double>(), 0.1);
  EXPECT_EQ(ToJson(all[0], all)["workers"], 1);
  const std::string table = FormatTable(all);
  EXPECT_THAT(table, testing::StartsWith("workers replicas"));
  EXPECT_THAT(table, testing::ContainsRegex("\n +2 +1 +2 +128 +6400 "));
  EXPECT_THAT(table, testing::HasSubstr(
                         "2 workers x 1 replica: summing the gradients takes "
                         "10.0 % of a step once the last replica has come, "
                         "0.688 ms."));
  EXPECT_THAT(table, testing::HasSubstr("0.750 times the images/s of one "
                                        "process with 2 replicas."));
  EXPECT_THAT(FormatTable({all[0]}),
              testing::Not(testing::HasSubstr("worker")));
}

TEST(TrainingResultTest, NamesTellOfDeviceAndOtherPrecisions) {
  TrainingResult result = MakeRun(2, {}, {});
  result.device = "gpu";
  result.precision = "mixed_bfloat16";
  EXPECT_THAT(ToJson(result, {result})["name"].get<std::string>(),
              testing::EndsWith("/precision:mixed_bfloat16/device:gpu"));
}

TEST(TrainingResultTest, EntriesOfGpusTellHowManyStepsWereGraphs) {
  TrainingResult result = MakeRun(2, {}, {});
  EXPECT_FALSE(ToJson(result, {result}).contains("step_graphs"));
  result.step_graphs = {.eager_steps = 2, .captures = 3, .launches = 95};
  const Json wanted = {{"eager_steps", 2}, {"captures", 3}, {"launches", 95}};
  EXPECT_EQ(ToJson(result, {result})["step_graphs"], wanted);
}

TEST(TrainingResultTest, EntryHasGoogleBenchmarksFieldsAndOurs) {
  const std::vector<TrainingResult> all = {MakeRun(1, {8000}),
                                           MakeRun(2, {6400}, {4800})};
  const Json entry = ToJson(all[1], all);
  EXPECT_EQ(entry["name"],
            "Train/workload:fashion_mnist_cnn/replicas:2/"
            "global_batch_size:128/device:cpu");
  EXPECT_EQ(entry["run_type"], "iteration");
  EXPECT_EQ(entry["iterations"], 100);
  EXPECT_EQ(entry["real_time"], 20.0);  // 128 images at 6400 a second
  EXPECT_EQ(entry["time_unit"], "ms");
  EXPECT_EQ(entry["efficiency"], 0.8);
  EXPECT_EQ(entry["breakdown_ms"]["backward"], 4.0);
  EXPECT_EQ(entry["samples"]["items_per_second"], Json({6400.0}));
  EXPECT_EQ(entry["samples"]["steps_per_block"], 25);
  EXPECT_EQ(entry["opt_name"], "adam");
  EXPECT_EQ(entry["epochs"][0]["accuracy"], 82);
  EXPECT_EQ(entry["epochs"][0]["eval_accuracy"], 85.5);
  EXPECT_EQ(entry["checks"]["copies_bitwise_equal"], true);
}

TEST(TrainingResultTest, EntriesOfSequencesTellTokensAndTheirQuality) {
  TrainingResult result = MakeRun(1, {100});
  result.item = "pair";
  result.tokens_per_example = 12.5;
  result.quality = {.name = "bleu", .label = "BLEU", .scale = 1, .unit = ""};
  result.epochs[0].quality = std::nullopt;
  result.epochs[0].test_quality = 21.5;
  const Json entry = ToJson(result, {result});
  EXPECT_EQ(entry["item"], "pair");
  EXPECT_EQ(entry["items_per_second"], 100);
  EXPECT_EQ(entry["tokens_per_second"], 1250);
  EXPECT_EQ(entry["epochs"][0]["eval_bleu"], 21.5);
  EXPECT_FALSE(entry["epochs"][0].contains("bleu"));
  EXPECT_EQ(entry["quality"]["label"], "BLEU");
  EXPECT_THAT(FormatTable({result}), testing::HasSubstr("pairs/s"));
}

TEST(TrainingResultTest, EachKeptStepIsInTheEntry) {
  TrainingResult result = MakeRun(1, {6400});
  const Json without = ToJson(result, {result})["samples"];
  EXPECT_FALSE(without.contains("step_ms"));
  EXPECT_FALSE(without.contains("step_cpu_ms"));
  result.step_ms = {.wall = {2.123456, 3}, .cpu = {4.00004, 0.00005}};
  const Json samples = ToJson(result, {result})["samples"];
  EXPECT_EQ(samples["step_ms"].dump(), "[2.1235,3.0]");
  EXPECT_EQ(samples["step_cpu_ms"].dump(), "[4.0,0.0001]");
}

TEST(TrainingResultTest, ExposedCommunicationIsTheReduction) {
  const TrainingResult result = MakeRun(2, {6400});
  EXPECT_EQ(ToJson(result, {result})["exposed_communication_ms"], 0.5);
}

TEST(TrainingResultTest, OfAGpuMemoryIsShownAndNoWaitForInput) {
  TrainingResult result = MakeRun(2, {6400});
  result.phase_ms[static_cast<size_t>(Phase::kInputWait)] = std::nullopt;
  result.memory = {.bytes_in_use = 3 << 20, .peak_bytes = int64_t{5000} << 20};
  const Json entry = ToJson(result, {result});
  EXPECT_EQ(entry["device_memory"]["bytes_in_use"], 3 << 20);
  EXPECT_EQ(entry["device_memory"]["peak_bytes"], int64_t{5000} << 20);
  EXPECT_FALSE(entry["breakdown_ms"].contains("input_wait"));
  const std::string table = FormatTable({result});
  EXPECT_NE(table.find(" 3     5000 "), table.npos) << table;
  EXPECT_NE(table.find("peak"), table.npos) << table;
}

TEST(TrainingResultTest, OnCpusNothingIsSaidOfMemory) {
  const TrainingResult result = MakeRun(2, {6400});
  EXPECT_FALSE(ToJson(result, {result}).contains("device_memory"));
  EXPECT_EQ(FormatTable({result}).find("peak"), std::string::npos);
}

TEST(TrainingResultTest, WhatWasNotMeasuredIsNoNumberInTheTable) {
  EXPECT_THAT(FormatTable({MakeRun(1, {}, {})}),
              testing::ContainsRegex(" 64 +- +- "));
}

TEST(TrainingResultTest, EfficiencyIsNullWithoutOneReplica) {
  EXPECT_TRUE(
      ToJson(MakeRun(2, {1}), {MakeRun(2, {1})})["efficiency"].is_null());
}

TEST(TrainingResultTest, SlowRatesHaveDecimals) {
  EXPECT_EQ(FormatRate(5.281), "5.28");
  EXPECT_EQ(FormatRate(24415.4), "24415");
}

TEST(TrainingResultTest, TableHasARowARun) {
  const std::string table =
      FormatTable({MakeRun(1, {8000}), MakeRun(2, {7600}, {5700})});
  EXPECT_NE(table.find("7600       0.950"), table.npos) << table;
  EXPECT_NE(table.find("85.50 %"), table.npos) << table;
}

}  // namespace
}  // namespace lockstep::benchmarks
