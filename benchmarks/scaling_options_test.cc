#include "benchmarks/scaling_options.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

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

TEST(ScalingOptionsTest, FasterMathIsForGpusAndOffUnlessAskedFor) {
  EXPECT_FALSE(Parse({"--device=gpu"}).options.tf32);
  EXPECT_TRUE(Parse({"--device=gpu", "--tf32"}).options.tf32);
  EXPECT_TRUE(Parse({"--device=gpu", "--autotune"}).options.autotune);
  EXPECT_EQ(Parse({"--tf32"}).exit_status, 2);
  EXPECT_EQ(Parse({"--autotune"}).exit_status, 2);
}

TEST(ScalingOptionsTest, WrongValuesEndWithStatus2) {
  for (const char* wrong :
       {"--epochs=0", "--replicas=0", "--replicas=x", "--data=none",
        "--threads=-1", "--unknown", "--workload=vgg", "--batch=-1",
        "--device=tpu", "--precision=float8", "--scaling=super",
        "--json=", "--seed=-1", "--seed=18446744073709551616", "--epochs=010",
        "--steps=1e3"}) {
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
}

}  // namespace
}  // namespace lockstep::benchmarks
