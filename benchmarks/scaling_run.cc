#include "benchmarks/scaling_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "benchmarks/workloads/trainer.h"
#include "reference/base/error.h"
#include "reference/base/progress_bar.h"

namespace lockstep::benchmarks {
namespace {

using Trainers = std::vector<std::unique_ptr<Trainer>>;

// Of all replicas together; 0: a batch for each.
int64_t GlobalBatchSize(const ScalingOptions& options,
                        const Workload& workload) {
  if (options.scaling == "weak") return 0;
  const int most = std::ranges::max(options.replicas);
  if (workload.images_per_replica < most) {
    throw InvalidArgument(
        "[Scaling] a batch of {} cannot be divided over {} replicas; a larger "
        "--batch would help",
        workload.images_per_replica, most);
  }
  return workload.images_per_replica;
}

Trainers MakeTrainers(const ScalingOptions& options, const Workload& workload) {
  const int64_t global_batch_size = GlobalBatchSize(options, workload);
  Trainers trainers;
  for (int replicas : options.replicas) {
    trainers.push_back(std::make_unique<Trainer>(
        workload, TrainerOptions{.replicas = replicas,
                                 .threads_per_replica =
                                     std::max(1, options.threads / replicas),
                                 .global_batch_size = global_batch_size,
                                 .seed = options.seed,
                                 .steps_per_epoch = options.steps,
                                 .device = options.device,
                                 .trace = !options.trace.empty(),
                                 .graph = options.graph}));
  }
  return trainers;
}

void CheckTrace(const ScalingOptions& options, const Workload& workload,
                const Trainers& trainers) {
  if (options.trace.empty()) return;
  for (const auto& trainer : trainers) {
    const int64_t steps = trainer->steps_per_epoch() * options.epochs;
    if (steps > workload.warmup_steps) continue;
    throw InvalidArgument(
        "[Trace] the run has {} steps and {} of them are warm-up: there is "
        "nothing to trace; more --epochs or --steps would help",
        steps, workload.warmup_steps);
  }
}

// The document's line, behind the number of replicas.
void PrintEpoch(int replicas, const EpochResult& epoch) {
  fmt::print(
      "{} replica{}: Epoch {}, Loss: {:.4f}, Accuracy: {:.2f}, Test Loss: "
      "{:.4f}, Test Accuracy: {:.2f}  ({} images/s)\n",
      replicas, replicas == 1 ? "" : "s", epoch.epoch_num, epoch.loss,
      epoch.accuracy, epoch.test_loss, epoch.eval_accuracy,
      FormatRate(epoch.images_per_second));
  std::fflush(stdout);
}

int64_t TotalImages(const ScalingOptions& options, const Trainers& trainers) {
  int64_t images = 0;
  for (const auto& trainer : trainers) images += trainer->images_per_epoch();
  return images * options.epochs;
}

// Trains epoch `epoch` on every trainer; false when stopped.
bool TrainAll(const ScalingOptions& options, Trainers& trainers, int epoch,
              ProgressBar& bar, const std::function<bool()>& stop) {
  for (size_t turn = 0; turn < trainers.size(); ++turn) {
    const size_t which = epoch % 2 == 0 ? turn : trainers.size() - 1 - turn;
    const int replicas = options.replicas[which];
    bar.SetLabel(fmt::format("epoch {}/{}, {} replica{}", epoch + 1,
                             options.epochs, replicas,
                             replicas == 1 ? "" : "s"));
    const std::optional<EpochResult> result =
        trainers[which]->TrainEpoch([&](int64_t images) {
          bar.Advance(images);
          return !stop();
        });
    if (!result) return false;
    bar.Clear();
    PrintEpoch(replicas, *result);
  }
  return true;
}

}  // namespace

ScalingRun RunScaling(const ScalingOptions& options, const Workload& workload,
                      const std::function<bool()>& stop) {
  Trainers trainers = MakeTrainers(options, workload);
  CheckTrace(options, workload, trainers);
  ProgressBar bar(TotalImages(options, trainers), "images");
  ScalingRun run;
  run.complete = true;
  for (int epoch = 0; epoch < options.epochs && run.complete; ++epoch) {
    run.complete = TrainAll(options, trainers, epoch, bar, stop);
  }
  bar.Clear();
  for (const auto& trainer : trainers) {
    run.results.push_back(trainer->Result());
    if (!options.trace.empty()) run.traces.push_back(trainer->Trace());
  }
  return run;
}

}  // namespace lockstep::benchmarks
