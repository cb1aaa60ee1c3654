// The models that the document "Custom training with tf.distribute.Strategy"
// names for further reading, each in a program of its name:
//
//   ./bazelw run //examples:ncf -- --epochs=2
//   ./bazelw run //examples:ncf -- --epochs=6     // goes on with the third
//
// After each epoch a checkpoint has the weights, the optimizer and the number of
// epochs. A run that ended or was killed begins after the last one, and trains
// what it would have trained: the order of the examples and the random numbers
// of an epoch depend on its number only. The models are in benchmarks/workloads:
// NCF in ncf/ncf_task.cc, for example.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "benchmarks/workloads/all_workloads.h"
#include "benchmarks/workloads/task.h"
#include "benchmarks/workloads/workload.h"
#include "command_line/program.h"
#include "examples/training_options.h"
#include "reference/lockstep.h"

namespace lockstep::examples {
namespace {

using benchmarks::Task;
using benchmarks::Workload;

constexpr char kExamples[] =
    "Examples:\n"
    "  ./bazelw run //examples:densenet -- --epochs=3\n"
    "  ./bazelw run //examples:ncf -- --replicas=4 --epochs=6\n"
    "  ./bazelw run //examples:bert -- --steps=50 --folder=my_bert\n"
    "  ./bazelw run //examples:bert -- --data=full\n"
    "      on manuals, after ./bazelw run //text_datasets:fetch\n"
    "  ./bazelw run //examples:nmt -- --epochs=14\n"
    "The same command again goes on after the last checkpoint in its folder.\n"
    "\n"
    "Exit status: 0; 1 when something failed, 2 for a wrong command line.\n";

// What is trained, and its checkpoint.
struct State {
  State(const Workload& workload, const benchmarks::TrainingPlan& plan)
      : task(workload.make_task()),
        optimizer(workload.make_optimizer(plan)),
        epochs(MakeVariable(
            {.initial_value = [] { return Tensor::Scalar<int64_t>(0); },
             .name = "epochs",
             .trainable = false})) {
    for (const VariablePtr& variable : task->variables()) {
      variables.Append(*variable);
    }
  }

  int FinishedEpochs() const {
    return static_cast<int>(epochs->Read().item<int64_t>());
  }

  const std::unique_ptr<Task> task;
  const std::shared_ptr<Optimizer> optimizer;
  const VariablePtr epochs;
  TrackableList variables;
  Checkpoint checkpoint{{{"epochs", epochs.get()},
                         {"optimizer", optimizer.get()},
                         {"variables", &variables}}};
};

class ModelTraining {
 public:
  // REQUIRES: made and used in the strategy's scope, and outlived by it.
  ModelTraining(Strategy& strategy, const Workload& workload,
                const TrainingOptions& options)
      : strategy_(strategy),
        workload_(workload),
        options_(options),
        global_batch_size_(workload.batch_per_replica *
                           strategy.num_replicas_in_sync()),
        steps_(workload.StepsPerEpoch(global_batch_size_, options.steps)),
        state_(workload, {.global_batch_size = global_batch_size_,
                          .steps = steps_ * options.epochs}),
        step_(state_.optimizer) {}

  void Run() {
    CheckpointManager manager(state_.checkpoint, options_.folder,
                              {.max_to_keep = 2});
    if (const auto path = manager.RestoreOrInitialize()) {
      Print("Restored {} epochs from {}\n", state_.FinishedEpochs(), *path);
    }
    for (int epoch = state_.FinishedEpochs(); epoch < options_.epochs;) {
      SetRandomSeed(options_.seed + epoch);
      Train(epoch);
      Test();
      state_.epochs->Assign(Tensor::Scalar<int64_t>(++epoch));
      manager.Save();
      Tell(epoch);
    }
    Print("Trained {} epochs; the checkpoint is {}\n", state_.FinishedEpochs(),
          manager.latest_checkpoint().value());
  }

 private:
  void Train(int epoch) {
    const Dataset examples = epoch > 0 && workload_.data.train_of_epoch
                                 ? workload_.data.train_of_epoch(epoch)
                                 : workload_.data.train;
    const Dataset batches =
        workload_
            .Batches(examples.Shuffle(workload_.data.train_size,
                                      options_.seed + epoch),
                     global_batch_size_)
            .Take(steps_);
    for (const PerReplica<Structure>& batch :
         strategy_.DistributeDataset(batches)) {
      strategy_.Run(
          [this](const Structure& part) {
            step_.OnReplica(
                [&] { return state_.task->Forward(part, global_batch_size_); });
          },
          batch);
    }
  }

  void Test() {
    const Dataset batches =
        workload_.TestBatches(global_batch_size_).Take(options_.steps);
    for (const PerReplica<Structure>& batch :
         strategy_.DistributeDataset(batches)) {
      strategy_.Run([this](const Structure& part) { state_.task->Test(part); },
                    batch);
    }
  }

  void Tell(int epoch) {
    const benchmarks::TaskFigures figures = state_.task->Figures();
    const benchmarks::Quality quality = state_.task->quality();
    Print("Epoch {}, Loss: {:.4f}, Test Loss: {:.4f}, Test {}: {}\n", epoch,
          figures.loss, figures.test_loss, quality.label,
          quality.Show(figures.test_quality));
    state_.task->ResetFigures();
  }

  Strategy& strategy_;
  const Workload& workload_;
  const TrainingOptions& options_;
  const int64_t global_batch_size_;
  const int64_t steps_;  // of an epoch
  State state_;
  TrainingStep step_;
};

void Train(Strategy& strategy, const std::string& model,
           const TrainingOptions& options) {
  const Workload workload =
      benchmarks::MakeWorkload(model, {.most_replicas = options.replicas,
                                       .seed = options.seed,
                                       .data = options.data});
  Print("Model: {}\n", workload.description);
  Print("Data: {}\n", workload.data.description);
  Print("Number of devices: {}\n", strategy.num_replicas_in_sync());
  SetRandomSeed(options.seed);
  const StrategyScope scope = strategy.Scope();
  ModelTraining(strategy, workload, options).Run();
}

int Main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // line by line
  return RunProgram([&] {
    CLI::App app("Trains a model, and goes on after its last checkpoint.",
                 "model_training");
    app.footer(kExamples);
    std::string model;
    TrainingOptions options;
    options.epochs = 4;
    options.results = "MODEL";
    app.add_option("--model", model, "what to train")
        ->check(CLI::IsMember(benchmarks::WorkloadNames()))
        ->required();
    AddOptions(app, options, "--folder");
    app.parse_complete_callback([&] { options.results = model; });
    if (const auto status = ReadOptions(app, argc, argv, options)) {
      return *status;
    }
    MirroredStrategy strategy(CpuDevices(options.replicas));
    Train(strategy, model, options);
    return 0;
  });
}

}  // namespace
}  // namespace lockstep::examples

int main(int argc, char** argv) { return lockstep::examples::Main(argc, argv); }
