#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/measurement/training_result.h"
#include "benchmarks/report_process.h"
#include "benchmarks/run_files.h"
#include "benchmarks/scaling_options.h"
#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/base/json.h"

namespace lockstep::benchmarks {
namespace {

ParsedOptions Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "scaling");
  return ParseScalingOptions(static_cast<int>(arguments.size()),
                             arguments.data());
}

TEST(ScalingOptionsTest, DefaultsAreTheDocumentsRun) {
  const ParsedOptions parsed = Parse({});
  ASSERT_EQ(parsed.exit_status, std::nullopt);
  EXPECT_EQ(parsed.options.epochs, 10);
  EXPECT_EQ(parsed.options.replicas, (std::vector<int>{1, 2}));
  EXPECT_EQ(parsed.options.threads,
            static_cast<int>(std::thread::hardware_concurrency()));
}

TEST(ScalingOptionsTest, ResNet50HasOptionsOfItsOwn) {
  const ScalingOptions options = Parse({"--workload=resnet50", "--batch=4",
                                        "--image_size=64", "--l2=0.0001"})
                                     .options;
  EXPECT_EQ(options.workload, "resnet50");
  EXPECT_EQ(options.batch, 4);
  EXPECT_EQ(options.image_size, 64);
  EXPECT_EQ(options.l2, 0.0001);
  EXPECT_EQ(Parse({"--workload=resnet50"}).options.image_size, 224);
}

TEST(ScalingOptionsTest, OptionsOfAnotherWorkloadAreRefused) {
  for (const auto& wrong : std::vector<std::vector<const char*>>{
           {"--image_size=64"},
           {"--l2=0.1"},
           {"--workload=resnet50", "--data=full"}}) {
    EXPECT_EQ(Parse(wrong).exit_status, 2) << wrong.back();
  }
}

TEST(ScalingOptionsTest, ReplicasAreSortedAndCountOnce) {
  EXPECT_EQ(Parse({"--replicas=4,1,2,4"}).options.replicas,
            (std::vector<int>{1, 2, 4}));
}

TEST(ScalingOptionsTest, ATraceIsMadeOnlyWhereAFileIsNamed) {
  EXPECT_EQ(Parse({}).options.trace, "");
  EXPECT_EQ(Parse({"--trace=t.json"}).options.trace, "t.json");
}

TEST(ScalingOptionsTest, GraphsAreUsedUnlessSwitchedOff) {
  EXPECT_TRUE(Parse({}).options.graph);
  EXPECT_FALSE(Parse({"--graph=false"}).options.graph);
}

TEST(ScalingOptionsTest, EachReplicaHasABatchUnlessOneIsDivided) {
  EXPECT_EQ(Parse({}).options.scaling, "weak");
  EXPECT_EQ(Parse({"--scaling=strong"}).options.scaling, "strong");
}

TEST(ScalingOptionsTest, FasterMathIsForGpusAndOffByDefault) {
  EXPECT_FALSE(Parse({"--device=gpu"}).options.tf32);
  EXPECT_TRUE(Parse({"--device=gpu", "--tf32"}).options.tf32);
  EXPECT_TRUE(Parse({"--device=gpu", "--autotune"}).options.autotune);
  EXPECT_EQ(Parse({"--tf32"}).exit_status, 2);
  EXPECT_EQ(Parse({"--autotune"}).exit_status, 2);
}

TEST(ScalingOptionsTest, StepsAreKeptOnRequestAndInTurns) {
  EXPECT_FALSE(Parse({}).options.step_times);
  EXPECT_EQ(Parse({}).options.pace, 0);
  EXPECT_TRUE(Parse({"--step_times"}).options.step_times);
  const ScalingOptions paced = Parse({"--pace=15"}).options;
  EXPECT_TRUE(paced.step_times);
  EXPECT_EQ(paced.pace, 15);
}

TEST(ScalingOptionsTest, StepsOfGpusAreNotTimed) {
  EXPECT_EQ(Parse({"--device=gpu", "--step_times"}).exit_status, 2);
  EXPECT_EQ(Parse({"--device=gpu", "--pace=15"}).exit_status, 2);
}

TEST(ScalingOptionsTest, WorkersAreSortedAndCountOnce) {
  EXPECT_EQ(Parse({}).options.workers, (std::vector<int>{1}));
  EXPECT_EQ(Parse({"--workers=2,1,2"}).options.workers,
            (std::vector<int>{1, 2}));
}

TEST(ScalingOptionsTest, SeveralWorkersAreNotForGpusAndTakeNoTurns) {
  for (const char* wrong : {"--device=gpu", "--step_times", "--pace=15"}) {
    EXPECT_EQ(Parse({"--workers=1,2", wrong}).exit_status, 2) << wrong;
    EXPECT_EQ(Parse({"--workers=1", wrong}).exit_status, std::nullopt) << wrong;
  }
}

TEST(ScalingOptionsTest, AWorkersPlaceNeedsAllItsParts) {
  EXPECT_EQ(Parse({}).options.place.worker, 0);
  const ParsedOptions parsed =
      Parse({"--workers=2,3", "--as_worker=1", "--of_workers=3",
             "--with_replicas=2", "--chief_port=4711"});
  ASSERT_EQ(parsed.exit_status, std::nullopt);
  EXPECT_EQ(parsed.options.place.worker, 1);
  EXPECT_EQ(parsed.options.place.workers, 3);
  EXPECT_EQ(parsed.options.place.replicas, 2);
  EXPECT_EQ(parsed.options.place.port, 4711);
  EXPECT_EQ(parsed.options.words.size(), 6u);
  EXPECT_EQ(Parse({"--as_worker=1"}).exit_status, 2);
  EXPECT_EQ(Parse({"--chief_port=4711"}).exit_status, 2);
}

TEST(ScalingOptionsTest, ASlowdownIsPlantedOnRequest) {
  const PlantedOptions none = Parse({}).options.planted;
  EXPECT_EQ(none.work_us, 0);
  EXPECT_EQ(none.work_percent, 0);
  EXPECT_EQ(none.wait_us, 0);
  const PlantedOptions planted =
      Parse({"--plant_work_us=240", "--plant_wait_us=300",
             "--plant_work_percent=6", "--step_times", "--plant_at_replicas=2"})
          .options.planted;
  EXPECT_EQ(planted.work_us, 240);
  EXPECT_EQ(planted.wait_us, 300);
  EXPECT_EQ(planted.work_percent, 6);
  EXPECT_EQ(planted.at_replicas, 2);
}

TEST(ScalingOptionsTest, ASlowdownThatWouldHaveNoPlaceIsRefused) {
  EXPECT_EQ(Parse({"--plant_at_replicas=1"}).exit_status, 2);
  EXPECT_EQ(Parse({"--plant_work_us=9", "--plant_at_replicas=3"}).exit_status,
            2);
  EXPECT_EQ(Parse({"--plant_work_us=9", "--plant_at_replicas=0"}).exit_status,
            std::nullopt);
}

TEST(ScalingOptionsTest, AShareOfAStepIsPlantedWhereStepsAreTimed) {
  EXPECT_EQ(Parse({"--plant_work_percent=6"}).exit_status, 2);
  EXPECT_EQ(Parse({"--plant_work_percent=6", "--pace=15"}).exit_status,
            std::nullopt);
}

TEST(ScalingOptionsTest, WrongValuesEndWithStatus2) {
  for (const char* wrong : {"--epochs=0",         "--replicas=0",
                            "--replicas=x",       "--data=none",
                            "--threads=-1",       "--unknown",
                            "--workload=vgg",     "--batch=-1",
                            "--device=tpu",       "--precision=float8",
                            "--scaling=super",    "--json=",
                            "--seed=-1",          "--seed=18446744073709551616",
                            "--epochs=010",       "--steps=1e3",
                            "--workers=0",        "--workers=1,x",
                            "--pace=0",           "--plant_work_us=-1",
                            "--plant_wait_us=1.5"}) {
    const ParsedOptions parsed = Parse({wrong});
    EXPECT_EQ(parsed.exit_status, 2) << wrong;
  }
}

TEST(ScalingOptionsTest, APenaltyIsANumber) {
  for (const char* wrong : {"--l2=nan", "--l2=inf", "--l2=-1e-9"}) {
    EXPECT_EQ(Parse({"--workload=resnet50", wrong}).exit_status, 2) << wrong;
  }
}

TEST(ScalingOptionsTest, HelpEndsWithStatus0AndShowsExamples) {
  testing::internal::CaptureStdout();
  const ParsedOptions parsed = Parse({"--help"});
  const std::string help = testing::internal::GetCapturedStdout();
  EXPECT_EQ(parsed.exit_status, 0);
  EXPECT_NE(help.find("Examples:"), help.npos) << help;
  EXPECT_NE(help.find("--replicas"), help.npos) << help;
  EXPECT_NE(help.find("--step_times"), help.npos) << help;
  EXPECT_EQ(help.find("--pace"), help.npos) << help;
  EXPECT_EQ(help.find("--plant"), help.npos) << help;
  EXPECT_EQ(help.find("--as_worker"), help.npos) << help;
}

TEST(OutputFileTest, EachWriteReplacesTheOneBefore) {
  const TestFolder folder;
  WriteWholeFile(folder / "r.json", "of an older run");
  OutputFile file(folder / "r.json");
  EXPECT_EQ(ReadWholeFile(folder / "r.json"), "of an older run");
  file.Write("one epoch");
  file.Write("two");
  EXPECT_EQ(ReadWholeFile(folder / "r.json"), "two");
  EXPECT_EQ(file.path(), folder / "r.json");
}

TEST(OutputFileTest, RunsWithTheSameNameEachGetTheirOwn) {
  const TestFolder folder;
  const FreeName name{folder / "made/results", "scaling-1", ".json"};
  OutputFile first(name), second(name), third(name);
  for (OutputFile* file : {&second, &first, &third}) file->Write("so far");
  first.Write("first");
  second.Write("second");
  EXPECT_EQ(second.path(), folder / "made/results/scaling-1.json");
  EXPECT_EQ(first.path(), folder / "made/results/scaling-1-2.json");
  EXPECT_EQ(third.path(), folder / "made/results/scaling-1-3.json");
  EXPECT_EQ(ReadWholeFile(first.path()), "first");
  EXPECT_EQ(ReadWholeFile(second.path()), "second");
  EXPECT_EQ(ReadWholeFile(third.path()), "so far");
}

TEST(OutputFileTest, ABadPlaceIsRefusedAtOnce) {
  const TestFolder folder;
  WriteWholeFile(folder / "file", "x");
  const auto open = [](const auto& place) { OutputFile file(place); };
  EXPECT_EQ(CodeOf([&] { open(folder / "no/such/r.json"); }), Code::kNotFound);
  EXPECT_EQ(CodeOf([&] {
              open(FreeName{folder / "file", "r", ".json"});
            }),
            Code::kUnavailable);
}

TEST(OutputFileTest, ADeviceHasNoNameOfItsOwn) {
  OutputFile file("/dev/null");
  EXPECT_TRUE(file.written_through());
  file.Write("gone");
  file.Write("again");
}

std::string Program() { return std::getenv("TEST_BINARY"); }

std::string MakeResult() {
  TrainingResult run;
  run.workload = "fashion_mnist_cnn";
  run.global_batch_size = 64;
  run.blocks = {6400, 6500};
  Json result;
  result["context"] = {{"date", "2026-01-02T03:04:05+00:00"},
                       {"workload", run.workload},
                       {"complete", true},
                       {"data",
                        {{"name", "fashion_mnist"},
                         {"source", "full"},
                         {"train_examples", 60000},
                         {"test_examples", 10000}}}};
  result["benchmarks"] = {ToJson(run, {run})};
  return result.dump();
}

TEST(ReportProcessTest, ThePageShowsWhatTheResultHolds) {
  const std::string page =
      MakePerformanceReport(Program(), MakeResult(), "my_result.json");
  EXPECT_NE(page.find("6,450 images/s"), std::string::npos);
  EXPECT_NE(page.find("my_result.json"), std::string::npos);
}

TEST(ReportProcessTest, AFailingReportIsATypedError) {
  ExpectError([] { MakePerformanceReport(Program(), "{", "my_result.json"); },
              Code::kUnavailable, "status 1");
}

}  // namespace
}  // namespace lockstep::benchmarks
