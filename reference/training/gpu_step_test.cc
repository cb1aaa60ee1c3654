// A training step on a GPU never waits, updates its state in place, and computes the
// same numbers as the host. Uses an emulated GPU, which runs our kernels as host
// threads, counts the host's requests, and has memory that only kernels can access.
#include <gtest/gtest.h>

#include <limits>
#include <ostream>

#include "reference/base/error_testing.h"
#include "reference/device/fake_gpu.h"
#include "reference/distribute/input/distributed_dataset.h"
#include "reference/kernels/movement/movement.h"
#include "reference/layers/batch_normalization.h"
#include "reference/optimizers/update_rules.h"
#include "reference/training/elementwise_training.h"

namespace lockstep {

void PrintTo(const OptimizerCase& test, std::ostream* out) {
  *out << test.name;
}

namespace {

constexpr int kSteps = 6;
constexpr int kSpoiled = 3;  // of the steps, where the optimizer skips it
constexpr size_t kGpuBytes = size_t{64} << 20;

std::vector<StepInput> InputsOn(Device& device, const OptimizerCase& test) {
  std::vector<StepInput> inputs;
  for (int step = 0; step < kSteps; ++step) {
    const bool spoiled = test.skips && step == kSpoiled;
    inputs.push_back(MakeStepInput(
        device, step, spoiled ? std::numeric_limits<float>::infinity() : 1));
  }
  return inputs;
}

std::vector<Tensor> Values(const std::vector<VariablePtr>& variables) {
  std::vector<Tensor> values;
  for (const VariablePtr& variable : variables) {
    values.push_back(variable->Read());
  }
  return values;
}

std::vector<const void*> Addresses(const std::vector<VariablePtr>& variables) {
  std::vector<const void*> addresses;
  for (const VariablePtr& variable : variables) {
    addresses.push_back(variable->Read().raw_data());
  }
  return addresses;
}

// The state after each step.
std::vector<std::vector<Tensor>> TrainOnHost(const OptimizerCase& test) {
  ElementwiseTraining training(test.make());
  std::vector<std::vector<Tensor>> values;
  for (const StepInput& input : InputsOn(Device::Host(), test)) {
    training.Step(input);
    values.push_back(Values(training.state()));
  }
  return values;
}

// Sums of so few float32 numbers are exact in double, in any order.
void ExpectBits(const std::vector<VariablePtr>& variables,
                const std::vector<Tensor>& wanted) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Tensor got = variables[i]->Read();
    EXPECT_TRUE(BitwiseEqual(got, wanted[i]))
        << variables[i]->name() << " is " << ToString(got) << " instead of "
        << ToString(wanted[i]);
  }
}

class GpuStepTest : public testing::TestWithParam<OptimizerCase> {
 protected:
  FakeGpu gpu_{0, kGpuBytes};
};

TEST_P(GpuStepTest, SameBitsAsTheHostWithoutWaiting) {
  const std::vector<std::vector<Tensor>> wanted = TrainOnHost(GetParam());
  const std::vector<StepInput> inputs = InputsOn(gpu_.device(), GetParam());
  DeviceScope on_gpu(gpu_.device());
  ElementwiseTraining training(GetParam().make());
  training.Step(inputs[0]);  // makes the state
  const std::vector<VariablePtr> state = training.state();
  const std::vector<const void*> addresses = Addresses(state);
  for (int step = 1; step < kSteps; ++step) {
    SCOPED_TRACE(step);
    const int waits = gpu_.waits();
    const int uploads = gpu_.uploads();
    training.Step(inputs[step]);
    EXPECT_EQ(gpu_.waits(), waits);
    EXPECT_EQ(gpu_.uploads(), uploads);
    EXPECT_EQ(Addresses(state), addresses);
    ExpectBits(state, wanted[step]);
  }
  const int skipped = GetParam().skips ? 1 : 0;
  EXPECT_EQ(training.optimizer().iterations(), kSteps - skipped);
}

INSTANTIATE_TEST_SUITE_P(AllOptimizers, GpuStepTest,
                         testing::ValuesIn(AllOptimizerCases()),
                         [](const auto& test) { return test.param.name; });

// The inputs of all steps as one dataset, its rows gathered in another order.
Dataset ShuffledRows() {
  std::vector<Tensor> x, targets, labels;
  for (int step = 0; step < kSteps; ++step) {
    const StepInput input = MakeStepInput(Device::Host(), step);
    x.push_back(input.x);
    targets.push_back(input.targets);
    labels.push_back(input.labels);
  }
  return Dataset::FromTensorSlices(
             Structure::Tuple({kernels::Concat(x, 0),
                               kernels::Concat(targets, 0),
                               kernels::Concat(labels, 0)}))
      .Shuffle(8 * kSteps, /*seed=*/3)
      .Batch(8);
}

// Trains on the current device with a batch a step.
std::vector<Tensor> TrainOn(const DistributedDataset& inputs) {
  ElementwiseTraining training(std::make_shared<Adam>());
  for (const PerReplica<Structure>& step : inputs) {
    const Structure& batch = step[0];
    training.Step({.x = batch[0].leaf(),
                   .targets = batch[1].leaf(),
                   .labels = batch[2].leaf(),
                   .loss_factor = Tensor::Scalar(1.0f)});
  }
  return Values(training.state());
}

void ExpectSameBits(const std::vector<Tensor>& got,
                    const std::vector<Tensor>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_TRUE(BitwiseEqual(got[i], wanted[i])) << i;
  }
}

// Without a strategy the GPU is the current device of the thread that reads the
// input, too.
TEST(GpuInputTest, TrainsOnTheGpuWithoutAStrategy) {
  const std::vector<Tensor> wanted = TrainOn(DistributeDataset(
      Topology::OneWorker(1), {&Device::Host()}, ShuffledRows()));
  FakeGpu gpu(0, kGpuBytes);
  const DeviceScope on_gpu(gpu.device());
  ExpectSameBits(TrainOn(DistributeDataset(Topology::OneWorker(1),
                                           {&gpu.device()}, ShuffledRows())),
                 wanted);
}

TEST(GpuInputTest, DatasetForAGpuTrainsOnIt) {
  const std::vector<Tensor> wanted = TrainOn(DistributeDataset(
      Topology::OneWorker(1), {&Device::Host()}, ShuffledRows()));
  FakeGpu gpu(0, kGpuBytes);
  const DeviceScope on_gpu(gpu.device());
  const DistributedDataset inputs = DistributeDatasetsFromFunction(
      Topology::OneWorker(1), {&gpu.device()},
      [](const InputContext&) { return ShuffledRows(); },
      {.fetch_to_device = false,
       .replication_mode = InputReplicationMode::kPerReplica,
       .place_dataset_on_device = true});
  ExpectSameBits(TrainOn(inputs), wanted);
}

// A batch on the host is computed there until it is used with a GPU's variable.
TEST(GpuInputTest, HostBatchIsRefusedByGpuVariables) {
  FakeGpu gpu(0, kGpuBytes);
  const DeviceScope on_gpu(gpu.device());
  ElementwiseTraining training(std::make_shared<Adam>());
  ExpectError([&] { training.Step(MakeStepInput(Device::Host(), 0)); },
              Code::kInvalidArgument,
              "[Multiply] tensors must be on one device, got CPU:0 and GPU:0");
}

TEST(GpuStateTest, MovingAveragesAreUpdatedInPlace) {
  BatchNormalization on_host({.momentum = 0.5});
  const Tensor x = MakeStepInput(Device::Host(), 0).x;
  on_host(x, true);
  on_host(x, true);
  const std::vector<Tensor> wanted = Values(on_host.variables());

  FakeGpu gpu(0, kGpuBytes);
  const Tensor x_on_gpu = x.To(gpu.device());
  DeviceScope on_gpu(gpu.device());
  BatchNormalization norm({.momentum = 0.5});
  norm(x_on_gpu, true);
  const std::vector<const void*> addresses = Addresses(norm.variables());
  const int waits = gpu.waits();
  const int uploads = gpu.uploads();
  norm(x_on_gpu, true);
  EXPECT_EQ(gpu.waits(), waits);
  EXPECT_EQ(gpu.uploads(), uploads);
  EXPECT_EQ(Addresses(norm.variables()), addresses);
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Tensor got = norm.variables()[i]->Read();
    for (int64_t c = 0; c < 2; ++c) {
      // The order of a sum may move the last place.
      EXPECT_FLOAT_EQ(got.at<float>(c), wanted[i].at<float>(c));
    }
  }
}

}  // namespace
}  // namespace lockstep
