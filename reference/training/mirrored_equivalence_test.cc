// A custom loop over a distributed dataset: any number of replicas, any
// all-reduce, short batches and replicas without data give one replica's losses
// and copies that stay equal bit by bit.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <ostream>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/random.h"
#include "reference/collectives/hierarchical_copy_all_reduce.h"
#include "reference/collectives/reduction_to_one_device.h"
#include "reference/collectives/shared_memory_all_reduce.h"
#include "reference/distribute/check_replicas_equal.h"
#include "reference/distribute/mirrored_strategy.h"
#include "reference/layers/conv2d.h"
#include "reference/layers/dense.h"
#include "reference/layers/flatten.h"
#include "reference/layers/initializers/random_seed.h"
#include "reference/layers/max_pooling2d.h"
#include "reference/layers/sequential.h"
#include "reference/losses/compute_average_loss.h"
#include "reference/losses/sparse_categorical_crossentropy.h"
#include "reference/optimizers/sgd.h"

namespace lockstep {
namespace {

// 19 examples in batches of 8: two whole ones and one of 3. Five replicas get
// 2, 2, 2, 2, 0 of each batch; eight get one each, then five of them nothing.
constexpr int64_t kExamples = 19;
constexpr int64_t kGlobalBatchSize = 8;
constexpr int kEpochs = 2;

Dataset MakeDataset() {
  Random random(11);
  Tensor images = Tensor::Empty({kExamples, 6, 6, 1});
  for (int64_t i = 0; i < images.num_elements(); ++i) {
    images.mutable_data<float>()[i] = random.UniformFloat();
  }
  Tensor labels = Tensor::Empty({kExamples}, DType::kInt64);
  for (int64_t i = 0; i < kExamples; ++i) {
    labels.mutable_data<int64_t>()[i] = i % 3;
  }
  return Dataset::FromTensorSlices(Structure::Tuple({images, labels}))
      .Batch(kGlobalBatchSize);
}

// The loss of every step; expects equal copies after each.
std::vector<float> Train(MirroredStrategy& strategy) {
  const StrategyScope scope = strategy.Scope();
  SetRandomSeed(3);
  Sequential model(std::vector<LayerPtr>{
      std::make_shared<Conv2D>(4, 3,
                               Conv2DOptions{.activation = Activation::kRelu}),
      std::make_shared<MaxPooling2D>(), std::make_shared<Flatten>(),
      std::make_shared<Dense>(3)});
  Sgd optimizer({.learning_rate = 0.1});
  const losses::SparseCategoricalCrossentropy loss_object(
      {.from_logits = true, .reduction = losses::Reduction::kNone});
  const auto train_step = [&](const Structure& batch) {
    GradientTape tape;
    const Tensor logits = model(batch[0].leaf(), /*training=*/true);
    const Tensor loss =
        ComputeAverageLoss(loss_object(batch[1].leaf(), logits),
                           {.global_batch_size = kGlobalBatchSize});
    const auto variables = model.trainable_variables();
    const auto gradients = tape.Gradient(loss, variables);
    std::vector<GradientAndVariable> pairs;
    for (size_t i = 0; i < variables.size(); ++i) {
      pairs.emplace_back(gradients[i], variables[i]);
    }
    optimizer.ApplyGradients(pairs);
    return loss;
  };
  std::vector<float> losses;
  const DistributedDataset inputs = strategy.DistributeDataset(MakeDataset());
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    for (const PerReplica<Structure>& batch : inputs) {
      const PerReplica<Tensor> replicas = strategy.Run(train_step, batch);
      losses.push_back(strategy.Reduce(ReduceOp::kSum, replicas).item<float>());
      CheckReplicasEqual(model.variables());
      CheckReplicasEqual(optimizer.variables());
    }
  }
  return losses;
}

struct Setting {
  int replicas;
  std::shared_ptr<const CrossDeviceOps> ops;
  int threads = 1;
};

std::vector<float> Train(const Setting& setting) {
  SetLogicalCpuDevices(setting.replicas);
  MirroredStrategy strategy({.threads_per_replica = setting.threads,
                             .cross_device_ops = setting.ops});
  return Train(strategy);
}

std::ostream& operator<<(std::ostream& out, const Setting& setting) {
  return out << setting.replicas << " replicas, " << setting.ops->name();
}

class MirroredEquivalenceTest : public testing::TestWithParam<Setting> {};

TEST_P(MirroredEquivalenceTest, LossesAreThoseOfOneReplica) {
  const std::vector<float> one =
      Train({.replicas = 1, .ops = std::make_shared<SharedMemoryAllReduce>()});
  ASSERT_EQ(one.size(), 3u * kEpochs);
  const std::vector<float> many = Train(GetParam());
  // A gradient sums at most 8 examples at 16 positions, so another order moves
  // it by 128 roundings of 6e-8; six steps at rate 0.1 along gradients of
  // length 1 at most move the loss by 6 * 0.1 * 128 * 6e-8 = 5e-6, its own sum
  // rounds by 1e-6.
  for (size_t step = 0; step < one.size(); ++step) {
    EXPECT_NEAR(many[step], one[step], 1e-5) << "step " << step;
  }
}

TEST_P(MirroredEquivalenceTest, TheSameAgainIsTheSameBits) {
  EXPECT_EQ(Train(GetParam()), Train(GetParam()));
}

std::vector<Setting> Settings() {
  std::vector<Setting> settings;
  for (int replicas : {1, 2, 3, 4, 5, 8}) {
    settings.push_back({replicas, std::make_shared<SharedMemoryAllReduce>()});
    if (replicas < 4) continue;
    settings.push_back(
        {replicas, std::make_shared<HierarchicalCopyAllReduce>()});
    settings.push_back({replicas, std::make_shared<ReductionToOneDevice>()});
  }
  settings.push_back({2, std::make_shared<SharedMemoryAllReduce>(), 2});
  return settings;
}

INSTANTIATE_TEST_SUITE_P(Replicas, MirroredEquivalenceTest,
                         testing::ValuesIn(Settings()));

}  // namespace
}  // namespace lockstep
