// Checkpoints of models and optimizers: the nodes and keys of Keras 3.15, and
// training that goes on after a restore as if it had never stopped.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "reference/checkpoint/checkpoint.h"
#include "reference/checkpoint/checkpoint_testing.h"
#include "reference/layers/conv2d.h"
#include "reference/layers/dense.h"
#include "reference/layers/flatten.h"
#include "reference/layers/input_layer.h"
#include "reference/layers/max_pooling2d.h"
#include "reference/layers/sequential.h"
#include "reference/optimizers/adam.h"
#include "reference/optimizers/loss_scale_optimizer.h"
#include "reference/optimizers/sgd.h"
#include "reference/tensor_bundle/tensor_bundle_reader.h"
#include "reference/training/small_training.h"

namespace lockstep {
namespace {

// Sequential([Input((2,)), Dense(1)]) with SGD(0.1, momentum=0.9).
struct DenseProgram {
  DenseProgram(const std::vector<LayerPtr>& layers) : model(layers) {}

  Sequential model;
  Sgd optimizer{{.learning_rate = 0.5,
                 .momentum = 0.9,
                 .nesterov = true,
                 .options = {.name = "sgd"}}};
  Checkpoint checkpoint{{{"optimizer", &optimizer}, {"model", &model}}};
};

LayerPtr MakeDense() {
  return std::make_shared<Dense>(1,
                                 DenseOptions{.name = "sequential_4/dense_6"});
}

TEST(KerasCheckpointTest, ABuiltProgramGivesTheBytesOfKeras) {
  const std::string theirs = TensorFlowFile("dense_sgd_momentum/ckpt-1");
  DenseProgram program({Input({2}), MakeDense()});
  program.optimizer.Build(program.model.trainable_variables());
  program.checkpoint.Restore(theirs).AssertConsumed();
  EXPECT_EQ(program.model.variables()[0]->Read().ToVector<float>(),
            (std::vector<float>{-0.6374438f, -0.4983052f}));
  EXPECT_EQ(program.optimizer.learning_rate(), 0.1f);

  const TestFolder folder;
  program.checkpoint.save_counter().Assign(Tensor::Scalar<int64_t>(0));
  const std::string ours = program.checkpoint.Save(folder / "ckpt");
  for (const char* end : {".index", ".data-00000-of-00001"}) {
    EXPECT_TRUE(ReadWholeFile(ours + end) == ReadWholeFile(theirs + end))
        << end;
  }
}

// Sequential([Input((2,)), Dense(1, use_bias=False)]) with a loss scale around
// SGD(0.25, momentum=0.5), after two steps and one that was skipped.
struct LossScaleProgram {
  LossScaleProgram() {
    model.Add(std::make_shared<Dense>(
        1, DenseOptions{.use_bias = false, .name = "sequential/dense"}));
  }

  // By hand: the momentum of the first row becomes -0.75 * 0.5 - 0.5 * 1.
  void ExpectTheNextStepOfKeras() {
    const VariablePtr kernel = model.variables()[0];
    optimizer.ApplyGradients(
        {{Tensor::FromVector<float>({4, 8}, Shape{2, 1}), kernel}});
    EXPECT_EQ(kernel->Read().ToVector<float>(),
              (std::vector<float>{-1.125f, -2.25f}));
    EXPECT_EQ(optimizer.loss_scale(), 8);
  }

  Sequential model;
  LossScaleOptimizer optimizer{
      std::make_shared<Sgd>(SgdConfig{
          .learning_rate = 0.25, .momentum = 0.5, .options = {.name = "sgd"}}),
      {.dynamic_growth_steps = 3}};
  Checkpoint checkpoint{{{"optimizer", &optimizer}, {"model", &model}}};
};

TEST(KerasCheckpointTest, ALossScaleIsSavedAsKerasDoes) {
  const std::string theirs = TensorFlowFile("loss_scale_sgd/ckpt-1");
  LossScaleProgram program;
  program.model.Build(Shape{kUnknownDim, 2});
  program.optimizer.Build(program.model.trainable_variables());
  program.checkpoint.Restore(theirs).AssertConsumed();
  EXPECT_EQ(program.optimizer.loss_scale(), 4);
  EXPECT_EQ(program.optimizer.iterations(), 2);

  const TestFolder folder;
  program.checkpoint.save_counter().Assign(Tensor::Scalar<int64_t>(0));
  const std::string ours = program.checkpoint.Save(folder / "ckpt");
  EXPECT_EQ(TensorBundleReader(ours).keys(), TensorBundleReader(theirs).keys());
  program.ExpectTheNextStepOfKeras();
}

TEST(KerasCheckpointTest, ARestoredLossScaleIsThatOfTheFirstLoss) {
  LossScaleProgram program;
  const auto status =
      program.checkpoint.Restore(TensorFlowFile("loss_scale_sgd/ckpt-1"));
  EXPECT_EQ(program.optimizer.ScaleLoss(Tensor::Scalar(1.5f)).item<float>(), 6);
  program.model(Tensor::Zeros(Shape{1, 2}));
  program.ExpectTheNextStepOfKeras();
  status.AssertConsumed();
}

TEST(KerasCheckpointTest, LayersBuiltLaterGetTheirValuesThen) {
  DenseProgram program({MakeDense()});
  const auto status =
      program.checkpoint.Restore(TensorFlowFile("dense_sgd_momentum/ckpt-1"));
  program.model(Tensor::Zeros(Shape{1, 2}));
  EXPECT_EQ(program.model.variables()[0]->Read().ToVector<float>(),
            (std::vector<float>{-0.6374438f, -0.4983052f}));
  program.optimizer.Build(program.model.trainable_variables());
  status.AssertConsumed();
}

TEST(KerasCheckpointTest, TheDocumentsProgramHasTheKeysOfKeras) {
  Conv2DOptions relu{.activation = Activation::kRelu};
  Sequential model(
      {std::make_shared<Conv2D>(32, 3, relu), std::make_shared<MaxPooling2D>(),
       std::make_shared<Conv2D>(64, 3, relu), std::make_shared<MaxPooling2D>(),
       std::make_shared<Flatten>(), std::make_shared<Dense>(64),
       std::make_shared<Dense>(10)});
  Adam optimizer;
  model.Build(Shape{kUnknownDim, 28, 28, 1});
  optimizer.Build(model.trainable_variables());
  Checkpoint checkpoint({{"optimizer", &optimizer}, {"model", &model}});
  const TestFolder folder;
  const TensorBundleReader reader(checkpoint.Save(folder / "ckpt"));

  const std::string value = "/.ATTRIBUTES/VARIABLE_VALUE";
  const std::vector<Shape> shapes = {
      Shape{3, 3, 1, 32}, Shape{32}, Shape{3, 3, 32, 64}, Shape{64},
      Shape{1600, 64},    Shape{64}, Shape{64, 10},       Shape{10}};
  // Iterations, rate, 8 variables with 2 slots each, save_counter, the graph.
  EXPECT_EQ(reader.keys().size(), 2u + 8 * 3 + 2);
  EXPECT_EQ(reader.Spec("optimizer/_iterations" + value),
            (TensorSpec{Shape{}, DType::kInt64}));
  EXPECT_EQ(reader.Spec("optimizer/_learning_rate" + value),
            (TensorSpec{Shape{}, DType::kFloat32}));
  EXPECT_TRUE(reader.Contains("save_counter" + value));
  for (size_t i = 0; i < shapes.size(); ++i) {
    const TensorSpec spec{shapes[i], DType::kFloat32};
    for (const std::string& key : {"_trainable_variables/" + std::to_string(i),
                                   "_variables/" + std::to_string(2 + 2 * i),
                                   "_variables/" + std::to_string(3 + 2 * i)}) {
      EXPECT_EQ(reader.Spec("optimizer/" + key + value), spec) << key;
    }
  }
}

TEST(KerasCheckpointTest, WithoutAnOptimizerKeysLeadThroughTheLayers) {
  Sequential model({Input({28, 28, 1}), std::make_shared<Conv2D>(32, 3),
                    std::make_shared<Flatten>(), std::make_shared<Dense>(10)});
  Checkpoint checkpoint({{"model", &model}});
  const TestFolder folder;
  const TensorBundleReader reader(checkpoint.Write(folder / "ckpt"));
  for (const char* key : {"1/_kernel", "1/bias", "3/_kernel", "3/bias"}) {
    EXPECT_TRUE(reader.Contains(std::string("model/_functional/_operations/") +
                                key + "/.ATTRIBUTES/VARIABLE_VALUE"))
        << key;
  }
}

// Three steps on 2 replicas, a checkpoint, two more steps.
class Interrupted {
 public:
  Interrupted() : first_(2) {
    for (int step = 0; step < 3; ++step) first_.Step();
    Checkpoint checkpoint = Of(first_);
    path_ = checkpoint.Save(folder_ / "ckpt");
    for (int step = 0; step < 2; ++step) losses_.push_back(first_.Step());
  }

  static Checkpoint Of(SmallTraining& training) {
    return Checkpoint(
        {{"model", &training.model()}, {"optimizer", &training.optimizer()}});
  }
  const std::string& path() const { return path_; }
  const std::vector<float>& losses_after() const { return losses_; }

 private:
  TestFolder folder_;
  SmallTraining first_;
  std::string path_;
  std::vector<float> losses_;
};

TEST(KerasCheckpointTest, TrainingGoesOnAsIfItHadNotStopped) {
  const Interrupted interrupted;
  SmallTraining second(2, /*seed=*/99);
  Checkpoint checkpoint = Interrupted::Of(second);
  // Nothing is built yet: weights and slots come inside the first step.
  const auto status = checkpoint.Restore(interrupted.path());
  for (const float loss : interrupted.losses_after()) {
    EXPECT_EQ(second.Step(), loss);
  }
  status.AssertConsumed();
  EXPECT_EQ(second.optimizer().iterations(), 5);
}

TEST(KerasCheckpointTest, TrainingGoesOnOnAnotherNumberOfReplicas) {
  const Interrupted interrupted;
  for (const int replicas : {1, 3}) {
    SmallTraining other(replicas, /*seed=*/99);
    Checkpoint checkpoint = Interrupted::Of(other);
    checkpoint.Restore(interrupted.path());
    // Sums of about 10^2 terms in another order.
    for (const float loss : interrupted.losses_after()) {
      EXPECT_NEAR(other.Step(), loss, 6e-6) << replicas;
    }
    EXPECT_EQ(other.optimizer().iterations(), 5);
  }
}

}  // namespace
}  // namespace lockstep
