#include "benchmarks/workloads/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "benchmarks/workloads/chosen_strategy.h"
#include "benchmarks/workloads/fashion_mnist_cnn.h"
#include "benchmarks/workloads/workload.h"
#include "reference/base/error.h"
#include "reference/device/device.h"

namespace lockstep::benchmarks {
namespace {

TEST(ReplicaDevicesTest, MakesAsManyCpusAsAreWanted) {
  EXPECT_EQ(ReplicaDevices("cpu", 3),
            (std::vector<std::string>{"CPU:0", "CPU:1", "CPU:2"}));
  EXPECT_NO_THROW(FindDevice("CPU:2"));
}

TEST(ReplicaDevicesTest, LeavesDevicesThatOthersUse) {
  ReplicaDevices("cpu", 4);
  EXPECT_EQ(ReplicaDevices("cpu", 2).size(), 2u);
  EXPECT_NO_THROW(FindDevice("CPU:3"));
}

// This program links no GPU backend, so there is none on any machine.
TEST(ReplicaDevicesTest, SaysWhyThereIsNoGpu) {
  try {
    ReplicaDevices("gpu", 2);
    FAIL() << "a GPU was found";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kNotFound);
    EXPECT_THAT(error.what(), testing::HasSubstr("no device GPU:0"));
  }
}

}  // namespace

// The document's CNN learns in 16 bits what it learns in float32.

namespace {

constexpr int64_t kGlobalBatchSize = 64;

const Workload& Images() {
  static const auto* workload =
      new Workload(FashionMnistCnn(ChooseFashionMnist("embedded")));
  return *workload;
}

// Percent of the test images that are recognised after an epoch under a policy;
// checks that the replicas' copies are equal at the end.
double AccuracyAfterTraining(const std::string& policy, int replicas) {
  Workload workload = Images();
  workload.images_per_replica = kGlobalBatchSize / replicas;
  Trainer trainer(WithPrecision(workload, policy), {.replicas = replicas});
  const double accuracy =
      trainer.TrainEpoch([](int64_t) { return true; }).value().eval_accuracy;
  EXPECT_TRUE(trainer.Result().copies_bitwise_equal);
  testing::Test::RecordProperty(policy + "_" + std::to_string(replicas),
                                std::to_string(accuracy));
  return accuracy;
}

double Float32Accuracy() {
  static const double accuracy = AccuracyAfterTraining("float32", 1);
  return accuracy;
}

// Two accuracies p of 2,000 images each, were they independent, would differ by
// 100 sqrt(2 p (1 - p) / 2000) = 1.3 points (p = 0.78) as standard deviation;
// the bounds are three of them.
constexpr double kPoints = 3.9;

TEST(PrecisionTest, Float32LearnsTheImages) {
  EXPECT_GT(Float32Accuracy(), 78 - kPoints);
}

TEST(PrecisionTest, MixedBFloat16LearnsAsMuchOnOneReplica) {
  EXPECT_NEAR(AccuracyAfterTraining("mixed_bfloat16", 1), Float32Accuracy(),
              kPoints);
}

TEST(PrecisionTest, MixedBFloat16LearnsAsMuchOnTwoReplicas) {
  EXPECT_NEAR(AccuracyAfterTraining("mixed_bfloat16", 2), Float32Accuracy(),
              kPoints);
}

TEST(PrecisionTest, MixedFloat16WithALossScaleLearnsAsMuch) {
  EXPECT_NEAR(AccuracyAfterTraining("mixed_float16", 1), Float32Accuracy(),
              kPoints);
}

}  // namespace
}  // namespace lockstep::benchmarks
