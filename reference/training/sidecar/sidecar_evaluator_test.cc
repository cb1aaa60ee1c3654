// A side-car evaluates each checkpoint of a job that goes on meanwhile.
#include "reference/training/sidecar/sidecar_evaluator.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/checkpoint/checkpoint.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/initializers.h"
#include "reference/losses/regression_losses.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;

// y = w x; the loss on x = 1, y = 0 is w * w.
Sequential MakeModel() {
  Sequential model({Dense(
      1, {.use_bias = false, .kernel_initializer = initializers::Zeros()})});
  model.Compile({.optimizer = "sgd", .loss = losses::MeanSquaredError()});
  return model;
}

TrainingData Data() {
  return {Tensor::FromVector<float>({1}, Shape{1, 1}),
          Tensor::FromVector<float>({0}, Shape{1, 1})};
}

// What a job saves: the model with this weight.
class Job {
 public:
  explicit Job(const std::string& prefix)
      : prefix_(prefix), checkpoint_({{"model", model_.trackable()}}) {
    model_.Build(Shape{1, 1});
  }
  void Save(float weight) {
    model_.trainable_variables()[0]->Assign(
        Tensor::FromVector<float>({weight}, Shape{1, 1}));
    checkpoint_.Save(prefix_);
  }

 private:
  const std::string prefix_;
  const Sequential model_ = MakeModel();
  Checkpoint checkpoint_;
};

TEST(SidecarEvaluatorTest, EvaluatesEachNewCheckpoint) {
  const TestFolder folder;
  Job job(folder / "ckpt");
  SidecarEvaluator evaluator(MakeModel(), Data(),
                             {.folder = folder.path(),
                              .max_evaluations = 3,
                              .interval = milliseconds(1)});
  job.Save(1);
  std::vector<double> losses;
  const int done = evaluator.Run([&](const std::string&, const Logs& logs) {
    losses.push_back(logs.at("loss"));
    job.Save(static_cast<float>(losses.size() + 1));
  });
  EXPECT_EQ(done, 3);
  EXPECT_EQ(losses, (std::vector<double>{1, 4, 9}));
}

TEST(SidecarEvaluatorTest, EndsWhenNoCheckpointComes) {
  const TestFolder folder;
  SidecarEvaluator evaluator(MakeModel(), Data(),
                             {.folder = folder.path(),
                              .patience = milliseconds(20),
                              .interval = milliseconds(1)});
  EXPECT_EQ(evaluator.Run([](const std::string&, const Logs&) {}), 0);
}

TEST(SidecarEvaluatorTest, CheckpointOfAnotherModelIsRefused) {
  const TestFolder folder;
  LocalVariable other({.initial_value = [] { return Tensor::Scalar(1.0f); }});
  Checkpoint({{"other", &other}}).Save(folder / "ckpt");
  SidecarEvaluator evaluator(MakeModel(), Data(), {.folder = folder.path()});
  EXPECT_EQ(
      CodeOf([&] { evaluator.Run([](const std::string&, const Logs&) {}); }),
      Code::kFailedPrecondition);
}

TEST(SidecarEvaluatorTest, WrongOptionsAreInvalid) {
  for (const SidecarOptions& options : std::vector<SidecarOptions>{
           {.folder = ""},
           {.folder = "a", .max_evaluations = 0},
           {.folder = "a", .interval = milliseconds(0)}}) {
    EXPECT_EQ(CodeOf([&] { SidecarEvaluator(MakeModel(), Data(), options); }),
              Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace lockstep
