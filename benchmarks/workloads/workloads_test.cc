#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/workloads/chosen_strategy.h"
#include "benchmarks/workloads/fashion_mnist_cnn.h"
#include "benchmarks/workloads/resnet50.h"
#include "benchmarks/workloads/trainer.h"
#include "benchmarks/workloads/workload.h"
#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error.h"
#include "reference/base/random.h"
#include "reference/device/device.h"
#include "reference/distribute/mirrored_strategy.h"
#include "reference/layers/initializers.h"
#include "reference/losses/cross_entropy.h"
#include "reference/losses/loss.h"
#include "reference/optimizers/update_rules.h"

namespace lockstep::benchmarks {
namespace {

TEST(ReplicaDevicesTest, MakesAsManyCpusAsRequested) {
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

// How long an epoch is, and what an optimizer learns of it.

namespace {

TEST(WorkloadTest, CountsTheStepsOfAnEpoch) {
  Workload once = FashionMnistCnn(ChooseFashionMnist("embedded"));
  once.data.train_size = 10;
  EXPECT_EQ(once.StepsPerEpoch(4, 0), 3);
  EXPECT_EQ(once.StepsPerEpoch(5, 0), 2);
  EXPECT_EQ(once.StepsPerEpoch(4, 2), 2);
  EXPECT_EQ(once.StepsPerEpoch(4, 9), 3);
  Workload repeated = once;
  repeated.steps_per_epoch = 20;
  EXPECT_EQ(repeated.StepsPerEpoch(4, 0), 20);
  EXPECT_EQ(repeated.StepsPerEpoch(4, 2), 2);
  EXPECT_EQ(repeated.StepsPerEpoch(4, 90), 90);
}

// 10,000 images in batches of 64 a replica are 157 steps, on two replicas 79.
TEST(WorkloadTest, AnOptimizerIsMadeForAllEpochs) {
  Workload workload = FashionMnistCnn(ChooseFashionMnist("embedded"));
  TrainingPlan plan;
  workload.make_optimizer = [&](const TrainingPlan& given) {
    plan = given;
    return std::make_unique<Sgd>();
  };
  Trainer(workload, {.epochs = 3});
  EXPECT_EQ(plan.global_batch_size, 64);
  EXPECT_EQ(plan.steps, 3 * 157);
  Trainer(workload, {.replicas = 2, .epochs = 3});
  EXPECT_EQ(plan.global_batch_size, 128);
  EXPECT_EQ(plan.steps, 3 * 79);
  Trainer(workload, {.epochs = 2, .steps_per_epoch = 5});
  EXPECT_EQ(plan.steps, 2 * 5);
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
  workload.batch_per_replica = kGlobalBatchSize / replicas;
  Trainer trainer(WithPrecision(workload, policy), {.replicas = replicas});
  const double accuracy =
      100 * trainer.TrainEpoch({.step_is_over = [](int64_t) { return true; }})
                .value()
                .test_quality;
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

// All parts of the network, one block a stage.
const ResNet50Model kSmall{
    .image_size = 32, .classes = 10, .width = 4, .blocks = {1, 1, 1, 1}};

int64_t Count(const std::vector<VariablePtr>& variables) {
  int64_t count = 0;
  for (const auto& variable : variables) {
    count += variable->shape().num_elements();
  }
  return count;
}

// Kernels of the first and of each further block of a stage.
struct Stage {
  int64_t first, other, count;
  int64_t normalized;  // channels of all its normalizations

  int64_t kernels() const { return first + (count - 1) * other; }
};

// 1 x 1 down, 3 x 3, 1 x 1 up, and in the first block 1 x 1 for the shortcut.
constexpr Stage kStages[] = {
    {4096 + 36864 + 16384 + 16384, 16384 + 36864 + 16384, 3,
     3 * (64 + 64 + 256) + 256},
    {32768 + 147456 + 65536 + 131072, 65536 + 147456 + 65536, 4,
     4 * (128 + 128 + 512) + 512},
    {131072 + 589824 + 262144 + 524288, 262144 + 589824 + 262144, 6,
     6 * (256 + 256 + 1024) + 1024},
    {524288 + 2359296 + 1048576 + 2097152, 1048576 + 2359296 + 1048576, 3,
     3 * (512 + 512 + 2048) + 2048}};

TEST(ResNet50Test, HasTheWeightsOfThePaper) {
  int64_t kernels = 7 * 7 * 3 * 64;  // of the stem
  int64_t normalized = 64;
  for (const Stage& stage : kStages) {
    kernels += stage.kernels();
    normalized += stage.normalized;
  }
  const int64_t classifier = 2048 * 1000 + 1000;
  EXPECT_EQ(kernels, 23454912);
  EXPECT_EQ(normalized, 26560);
  const Model model = MakeResNet50({});
  // Each normalization has gamma and beta, and two moving moments.
  EXPECT_EQ(Count(model.trainable_variables()),
            kernels + 2 * normalized + classifier);
  EXPECT_EQ(Count(model.trainable_variables()), 25557032);
  EXPECT_EQ(Count(model.non_trainable_variables()), 53120);
  EXPECT_EQ(model.trainable_variables().size(), 53u + 2 * 53 + 2);
}

TEST(ResNet50Test, MakesLogits) {
  const Model model = MakeResNet50(kSmall);
  EXPECT_EQ(model.ComputeOutputShape(Shape{kUnknownDim, 32, 32, 3}),
            (Shape{kUnknownDim, 10}));
  EXPECT_EQ(model(Tensor::Zeros(Shape{2, 32, 32, 3})).shape(), (Shape{2, 10}));
  EXPECT_EQ(model(Tensor::Empty(Shape{0, 32, 32, 3}), true).shape(),
            (Shape{0, 10}));
}

// 224 pixels become 112, 56, 28, 14, 7, with zeros around them where a stride
// follows.
TEST(ResNet50Test, SizesHalveWhereTheyShould) {
  const SymbolicTensor images = Input({224, 224, 3});
  SymbolicTensor x =
      ResNet50Logits({.width = 1, .blocks = {1, 1, 1, 1}}, images);
  std::vector<int64_t> sizes;  // from the logits back to the images
  while (true) {
    const Shape& shape = x.shape();
    if (shape.rank() == 4 && (sizes.empty() || sizes.back() != shape[1])) {
      sizes.push_back(shape[1]);
    }
    if (x.call() == images.call()) break;
    x = x.call()->inputs.Flatten()[0];
  }
  EXPECT_EQ(sizes, (std::vector<int64_t>{7, 16, 14, 30, 28, 58, 56, 114, 112,
                                         230, 224}));
}

TEST(ResNet50Test, ThePenaltyIsOnAllKernels) {
  ResNet50Model model = kSmall;
  model.l2 = 1e-4;
  // The stem, four blocks of three with a shortcut each, the classifier.
  EXPECT_EQ(MakeResNet50(model).losses().size(), 1u + 4 * 4 + 1);
  EXPECT_TRUE(MakeResNet50(kSmall).losses().empty());
}

Tensor Images(int64_t count) {
  Random random(7);
  Tensor images = Tensor::Empty(Shape{count, 32, 32, 3});
  float* data = images.mutable_data<float>();
  for (int64_t i = 0; i < images.num_elements(); ++i) {
    data[i] = random.UniformFloat();
  }
  return images;
}

Tensor Labels(int64_t count) {
  Tensor labels = Tensor::Empty(Shape{count}, DType::kInt64);
  for (int64_t i = 0; i < count; ++i) labels.mutable_data<int64_t>()[i] = i;
  return labels;
}

// A small network under a strategy, the same weights in each.
class Training {
 public:
  explicit Training(int replicas, const ResNet50Model& model = kSmall) {
    if (static_cast<int>(ListLogicalDevices().size()) < replicas) {
      SetLogicalCpuDevices(replicas);
    }
    std::vector<std::string> devices;
    for (int i = 0; i < replicas; ++i) {
      devices.push_back("CPU:" + std::to_string(i));
    }
    strategy_ = std::make_unique<MirroredStrategy>(devices);
    SetRandomSeed(3);
    const auto scope = strategy_->Scope();
    model_ = MakeResNet50(model);
    optimizer_ = std::make_unique<Sgd>(
        SgdOptions{.learning_rate = 0.05, .momentum = 0.9});
  }

  // A step on each replica's images; the loss of all together.
  float Step(const std::vector<Tensor>& images,
             const std::vector<Tensor>& labels, int64_t global_batch_size) {
    const PerReplica<Tensor> losses = strategy_->Run(
        [&](const Tensor& x, const Tensor& y) {
          GradientTape tape;
          const Tensor loss =
              ComputeAverageLoss(cross_entropy_(y, (*model_)(x, true)),
                                 {.global_batch_size = global_batch_size});
          const auto variables = model_->trainable_variables();
          optimizer_->ApplyGradients(
              Zip(tape.Gradient(loss, variables), variables));
          return loss;
        },
        PerReplica<Tensor>(images), PerReplica<Tensor>(labels));
    return strategy_->Reduce(ReduceOp::kSum, losses).item<float>();
  }

  PerReplica<Tensor> Infer(const std::vector<Tensor>& images) {
    return strategy_->Run([&](const Tensor& x) { return (*model_)(x); },
                          PerReplica<Tensor>(images));
  }

 private:
  std::unique_ptr<MirroredStrategy> strategy_;
  std::optional<Model> model_;
  std::unique_ptr<Sgd> optimizer_;
  losses::SparseCategoricalCrossentropy cross_entropy_{
      {.from_logits = true, .reduction = losses::Reduction::kNone}};
};

TEST(ResNet50Test, TheLossOfAFixedBatchFalls) {
  Training training(1);
  const float first = training.Step({Images(8)}, {Labels(8)}, 8);
  EXPECT_NEAR(first, std::log(10), 1.5) << "ten classes, nothing learnt";
  float last = first;
  for (int step = 0; step < 15; ++step) {
    last = training.Step({Images(8)}, {Labels(8)}, 8);
  }
  EXPECT_LT(last, 0.25 * first);
}

// Each replica normalizes by its own batch: with the same images on both these
// are the moments of all, and two replicas do what one does.
TEST(ResNet50Test, TwoReplicasTrainAsOneOnEqualParts) {
  const Tensor images = Images(4), labels = Labels(4);
  Training one(1), two(2);
  for (int step = 0; step < 3; ++step) {
    const float alone = one.Step({images}, {labels}, 4);
    // Sums in another order; three steps with momentum enlarge their roundings.
    EXPECT_NEAR(two.Step({images, images}, {labels, labels}, 8), alone,
                1e-4 * alone)
        << step;
  }
}

TEST(ResNet50Test, SynchronizedReplicasTrainAsOneOnAnyParts) {
  ResNet50Model model = kSmall;
  model.synchronized = true;
  const Tensor images = Images(6), labels = Labels(6);
  Training one(1), two(2, model);
  for (int step = 0; step < 3; ++step) {
    const float alone = one.Step({images}, {labels}, 6);
    const float together =
        two.Step({images.Slice(0, 2), images.Slice(2, 6)},
                 {labels.Slice(0, 2), labels.Slice(2, 6)}, 6);
    EXPECT_NEAR(together, alone, 1e-3 * alone) << step;
  }
}

TEST(ResNet50Test, TwoReplicasInferAsOne) {
  const Tensor images = Images(6);
  Training one(1), two(2);
  const Tensor all = one.Infer({images})[0];
  const auto parts = two.Infer({images.Slice(0, 2), images.Slice(2, 6)});
  // Not bit for bit: without AVX-512, oneDNN adds up the products of a logit,
  // one for each of 128 features, in an order that depends on the number of
  // rows. Each addition may round by 2^-24 of a sum, and sums are below 1 here.
  const auto near = [](const Tensor& wanted) {
    return testing::Pointwise(testing::FloatNear(128 * 0x1p-24f),
                              wanted.ToVector<float>());
  };
  EXPECT_THAT(parts[0].ToVector<float>(), near(all.Slice(0, 2)));
  EXPECT_THAT(parts[1].ToVector<float>(), near(all.Slice(2, 6)));
}

}  // namespace
}  // namespace lockstep::benchmarks
