// Custom training with a strategy: the program of TensorFlow's document
// "Custom training with tf.distribute.Strategy".
//
//   ./bazelw run //examples:custom_training -- --epochs=2
//
// trains a convolutional network on Fashion-MNIST, one replica a device, saves
// a checkpoint every second epoch, and restores the last one without a
// strategy.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "command_line/parse.h"
#include "command_line/program.h"
#include "datasets/embedded/choose_fashion_mnist.h"
#include "examples/fashion_mnist_model.h"
#include "reference/lockstep.h"

namespace lockstep::examples {
namespace {

constexpr int64_t kBatchSizePerReplica = 64;

struct Options {
  int epochs = 10;
  int replicas = 2;
  std::string data = "auto";
  std::string checkpoint_dir;  // empty: in the folder of results
  uint64_t seed = 42;
  int64_t steps = -1;  // of an epoch, at most; below 0 all
};

std::vector<std::string> CpuDevices(int count) {
  SetLogicalCpuDevices(count);
  std::vector<std::string> devices;
  for (int i = 0; i < count; ++i) devices.push_back(fmt::format("CPU:{}", i));
  return devices;
}

// The document's variables, all of them made in the strategy's scope, and what a
// replica does with its share of a batch.
struct Replicated {
  explicit Replicated(int64_t global_batch_size)
      : global_batch_size(global_batch_size) {}

  Tensor TrainStep(const Structure& batch) {
    GradientTape tape;
    const Tensor predictions = model(batch[0], /*training=*/true);
    const Tensor loss = ComputeLoss(batch[1], predictions);
    const auto variables = model.trainable_variables();
    optimizer.ApplyGradients(Zip(tape.Gradient(loss, variables), variables));
    train_accuracy.UpdateState(batch[1], predictions);
    return loss;
  }

  void TestStep(const Structure& batch) {
    const Tensor predictions = model(batch[0]);
    test_loss.UpdateState(loss_object(batch[1], predictions));
    test_accuracy.UpdateState(batch[1], predictions);
  }

  // The part of the global batch's mean loss that is this replica's.
  Tensor ComputeLoss(const Tensor& labels, const Tensor& predictions) const {
    return ComputeAverageLoss(loss_object(labels, predictions),
                              {.global_batch_size = global_batch_size});
  }

  const int64_t global_batch_size;
  // Reduction::kNone: the mean is taken over the global batch afterwards.
  const losses::SparseCategoricalCrossentropy loss_object{
      {.from_logits = true, .reduction = losses::Reduction::kNone}};
  Mean test_loss{"test_loss"};
  SparseCategoricalAccuracy train_accuracy{"train_accuracy"};
  SparseCategoricalAccuracy test_accuracy{"test_accuracy"};
  const Sequential model = CreateModel();
  Adam optimizer;
  Checkpoint checkpoint{
      {{"optimizer", &optimizer}, {"model", model.trackable()}}};
};

class CustomTraining {
 public:
  CustomTraining(const ImageData& data, const Options& options)
      : options_(options),
        strategy_(CpuDevices(options.replicas)),
        global_batch_size_(kBatchSizePerReplica *
                           strategy_.num_replicas_in_sync()),
        test_dataset_(
            ToDataset(data.test).Batch(global_batch_size_).Map(ScaleFirst)),
        train_dist_dataset_(strategy_.DistributeDataset(
            ToDataset(data.train)
                .Shuffle(data.train.size(), options.seed)
                .Batch(global_batch_size_)
                .Map(ScaleFirst)
                .Take(options.steps))),
        test_dist_dataset_(strategy_.DistributeDataset(test_dataset_)) {
    Print("Number of devices: {}\n", strategy_.num_replicas_in_sync());
    SetRandomSeed(options.seed);
    StrategyScope scope = strategy_.Scope();
    state_ = std::make_unique<Replicated>(global_batch_size_);
  }

  void TrainEpoch(int epoch) {
    double total_loss = 0;
    int64_t num_batches = 0;
    for (const PerReplica<Structure>& batch : train_dist_dataset_) {
      total_loss += DistributedTrainStep(batch);
      ++num_batches;
    }
    for (const PerReplica<Structure>& batch : test_dist_dataset_) {
      DistributedTestStep(batch);
    }
    if (epoch % 2 == 0) state_->checkpoint.Save(CheckpointPrefix());
    Print(
        "Epoch {}, Loss: {}, Accuracy: {}, Test Loss: {}, Test Accuracy: {}\n",
        epoch + 1, total_loss / static_cast<double>(num_batches),
        state_->train_accuracy.Result() * 100, state_->test_loss.Result(),
        state_->test_accuracy.Result() * 100);
    state_->test_loss.ResetState();
    state_->train_accuracy.ResetState();
    state_->test_accuracy.ResetState();
  }

  // A model of its own, outside the strategy, with the weights last saved.
  void TestRestoredModel() const {
    SparseCategoricalAccuracy eval_accuracy("eval_accuracy");
    const Sequential new_model = CreateModel();
    Adam new_optimizer;
    Checkpoint checkpoint(
        {{"optimizer", &new_optimizer}, {"model", new_model.trackable()}});
    // The optimizer takes no step here, so its state is never asked for.
    checkpoint.Restore(LatestCheckpoint(options_.checkpoint_dir))
        .ExpectPartial();
    for (const Structure& batch : test_dataset_) {
      const Tensor predictions = new_model(batch[0]);
      eval_accuracy.UpdateState(batch[1], predictions);
    }
    Print("Accuracy after restoring the saved model without strategy: {}\n",
          eval_accuracy.Result() * 100);
  }

 private:
  std::string CheckpointPrefix() const {
    return std::filesystem::path(options_.checkpoint_dir) / "ckpt";
  }

  // Runs the step on every replica with its share of the batch; the sum of the
  // replicas' losses.
  double DistributedTrainStep(const PerReplica<Structure>& batch) {
    const PerReplica<Tensor> per_replica_losses = strategy_.Run(
        [this](const Structure& part) { return state_->TrainStep(part); },
        batch);
    return strategy_.Reduce(ReduceOp::kSum, per_replica_losses).item<float>();
  }

  void DistributedTestStep(const PerReplica<Structure>& batch) {
    strategy_.Run([this](const Structure& part) { state_->TestStep(part); },
                  batch);
  }

  const Options options_;
  MirroredStrategy strategy_;
  const int64_t global_batch_size_;
  const Dataset test_dataset_;
  const DistributedDataset train_dist_dataset_;
  const DistributedDataset test_dist_dataset_;
  std::unique_ptr<Replicated> state_;
};

constexpr char kExamples[] =
    "Examples:\n"
    "  ./bazelw run //examples:custom_training\n"
    "      10 epochs on two replicas, as the document has them\n"
    "  ./bazelw run //examples:custom_training -- --epochs=2 --replicas=4\n"
    "  ./bazelw run //examples:custom_training -- --data=embedded --steps=20 "
    "\\\n"
    "      --checkpoint_dir=my_checkpoints\n"
    "\n"
    "Exit status: 0; 1 when something failed, 2 for a wrong command line.\n";

void Describe(CLI::App& app, Options& options) {
  app.footer(kExamples);
  app.add_option("--epochs", options.epochs, "passes over the images")
      ->check(WholeNumber(1))
      ->capture_default_str();
  app.add_option("--replicas", options.replicas, "logical CPU devices")
      ->check(WholeNumber(1, 256))
      ->capture_default_str();
  app.add_option("--data", options.data,
                 "full, embedded, or auto: full if at hand")
      ->check(CLI::IsMember({"auto", "full", "embedded"}))
      ->capture_default_str();
  app.add_option("--checkpoint_dir", options.checkpoint_dir,
                 "where checkpoints go (default: "
                 "results/training_checkpoints in the checkout)");
  app.add_option("--seed", options.seed, "of weights and order")
      ->check(WholeNumber<uint64_t>())
      ->capture_default_str();
  app.add_option("--steps", options.steps, "at most so many an epoch")
      ->check(WholeNumber<int64_t>(1));
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app("Custom training with a strategy, as the document does it.",
               "custom_training");
  Describe(app, options);
  if (const auto status = ParseCommandLine(app, argc, argv)) return *status;
  EnterUsersFolder();
  if (options.checkpoint_dir.empty()) {
    options.checkpoint_dir = ResultsFolder() + "/training_checkpoints";
  }
  const ImageData data = ChooseFashionMnist(options.data).data;
  Print("Data: {}\n", data.description);
  CustomTraining training(data, options);
  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    training.TrainEpoch(epoch);
  }
  training.TestRestoredModel();
  return 0;
}

}  // namespace
}  // namespace lockstep::examples

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // a line an epoch, at once
  return lockstep::RunProgram(
      [&] { return lockstep::examples::Main(argc, argv); });
}
