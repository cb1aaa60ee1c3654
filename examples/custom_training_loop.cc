#include "examples/custom_training_loop.h"

#include <filesystem>
#include <utility>

#include "command_line/program.h"
#include "examples/fashion_mnist_model.h"
#include "image_datasets/embedded/choose_fashion_mnist.h"

namespace lockstep::examples {
namespace {

constexpr int64_t kBatchSizePerReplica = 64;
constexpr int kStepsOfIterator = 10;  // per epoch

}  // namespace

// The document's variables, all made in the strategy's scope, and the steps of
// a replica on its part of a batch.
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

  // This replica's part of the global batch's mean loss.
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

template <typename... Arguments>
void CustomTraining::Tell(fmt::format_string<Arguments...> line,
                          Arguments&&... arguments) const {
  if (strategy_.topology().is_chief()) {
    Print(line, std::forward<Arguments>(arguments)...);
  }
}

CustomTraining::CustomTraining(Strategy& strategy,
                               const TrainingOptions& options)
    : CustomTraining(strategy, ChooseFashionMnist(options.data).data, options) {
}

CustomTraining::CustomTraining(Strategy& strategy, const ImageData& data,
                               const TrainingOptions& options)
    : options_(options),
      strategy_(strategy),
      global_batch_size_(kBatchSizePerReplica *
                         strategy.num_replicas_in_sync()),
      test_dataset_(
          ToDataset(data.test).Batch(global_batch_size_).Map(ScaleFirst)),
      train_dist_dataset_(strategy.DistributeDataset(
          ToDataset(data.train)
              .Shuffle(data.train.size(), options.seed)
              .Batch(global_batch_size_)
              .Map(ScaleFirst)
              .Take(options.steps))),
      test_dist_dataset_(strategy.DistributeDataset(test_dataset_)) {
  Tell("Data: {}\n", data.description);
  Tell("Number of devices: {}\n", strategy.num_replicas_in_sync());
  SetRandomSeed(options.seed);
  StrategyScope scope = strategy.Scope();
  state_ = std::make_unique<Replicated>(global_batch_size_);
}

CustomTraining::~CustomTraining() = default;

void CustomTraining::Run() {
  for (int epoch = 0; epoch < options_.epochs; ++epoch) TrainEpoch(epoch);
  TestRestoredModel();
}

void CustomTraining::TrainEpoch(int epoch) {
  const double train_loss = DistributedTrainEpoch();
  for (const PerReplica<Structure>& batch : test_dist_dataset_) {
    DistributedTestStep(batch);
  }
  if (epoch % 2 == 0) state_->checkpoint.Save(CheckpointPrefix());
  Tell("Epoch {}, Loss: {}, Accuracy: {}, Test Loss: {}, Test Accuracy: {}\n",
       epoch + 1, train_loss, state_->train_accuracy.Result() * 100,
       state_->test_loss.Result(), state_->test_accuracy.Result() * 100);
  state_->test_loss.ResetState();
  state_->train_accuracy.ResetState();
  state_->test_accuracy.ResetState();
}

void CustomTraining::TestRestoredModel() const {
  SparseCategoricalAccuracy eval_accuracy("eval_accuracy");
  const Sequential new_model = CreateModel();
  Adam new_optimizer;
  Checkpoint checkpoint(
      {{"optimizer", &new_optimizer}, {"model", new_model.trackable()}});
  // The optimizer takes no step here, so it has no state.
  checkpoint.Restore(LatestCheckpoint(options_.folder)).ExpectPartial();
  for (const Structure& batch : test_dataset_) {
    const Tensor predictions = new_model(batch[0]);
    eval_accuracy.UpdateState(batch[1], predictions);
  }
  Tell("Accuracy after restoring the saved model without strategy: {}\n",
       eval_accuracy.Result() * 100);
}

void CustomTraining::IterateOverSteps() {
  for (int epoch = 0; epoch < options_.epochs; ++epoch) {
    double total_loss = 0;
    int steps = 0;
    DistributedIterator iterator = train_dist_dataset_.MakeIterator();
    for (PerReplica<Structure> batch;
         steps < kStepsOfIterator && iterator.Next(&batch); ++steps) {
      total_loss += DistributedTrainStep(batch);
    }
    TellEpoch(epoch, total_loss / steps);
  }
}

void CustomTraining::CallEpochFunction() {
  for (int epoch = 0; epoch < options_.epochs; ++epoch) {
    TellEpoch(epoch, DistributedTrainEpoch());
  }
}

// The mean loss of its batches.
double CustomTraining::DistributedTrainEpoch() {
  double total_loss = 0;
  int64_t num_batches = 0;
  for (const PerReplica<Structure>& batch : train_dist_dataset_) {
    total_loss += DistributedTrainStep(batch);
    ++num_batches;
  }
  return total_loss / static_cast<double>(num_batches);
}

// Of the images since the last printed line.
void CustomTraining::TellEpoch(int epoch, double loss) {
  Tell("Epoch {}, Loss: {}, Accuracy: {}\n", epoch + 1, loss,
       state_->train_accuracy.Result() * 100);
  state_->train_accuracy.ResetState();
}

std::string CustomTraining::CheckpointPrefix() const {
  return std::filesystem::path(options_.folder) / "ckpt";
}

// Runs the step on every replica with its part of the batch. Returns the sum of
// the replicas' losses.
double CustomTraining::DistributedTrainStep(
    const PerReplica<Structure>& batch) {
  const PerReplica<Tensor> per_replica_losses = strategy_.Run(
      [this](const Structure& part) { return state_->TrainStep(part); }, batch);
  return strategy_.Reduce(ReduceOp::kSum, per_replica_losses).item<float>();
}

void CustomTraining::DistributedTestStep(const PerReplica<Structure>& batch) {
  strategy_.Run([this](const Structure& part) { state_->TestStep(part); },
                batch);
}

}  // namespace lockstep::examples
