#include "benchmarks/scaling_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>

#include "benchmarks/measurement/turns.h"
#include "benchmarks/workloads/fashion_mnist_cnn.h"
#include "benchmarks/workloads/resnet50.h"
#include "benchmarks/workloads/trainer.h"
#include "benchmarks/workloads/workload.h"
#include "command_line/program.h"
#include "reference/base/error.h"
#include "reference/base/terminal.h"

namespace lockstep::benchmarks {
namespace {

Workload MakeFashionMnistCnn(const ScalingOptions& options) {
  Workload workload = FashionMnistCnn(ChooseFashionMnist(options.data));
  if (options.batch > 0) workload.images_per_replica = options.batch;
  return workload;
}

Workload MakeResNet50(const ScalingOptions& options) {
  ResNet50Options chosen{
      .model = {.image_size = options.image_size, .l2 = options.l2},
      .most_replicas = std::ranges::max(options.replicas),
      .seed = options.seed};
  if (options.batch > 0) chosen.images_per_replica = options.batch;
  return ResNet50(chosen);
}

Workload InFloat32(const ScalingOptions& options) {
  if (options.workload == "fashion_mnist_cnn") {
    return MakeFashionMnistCnn(options);
  }
  if (options.workload == "resnet50") return MakeResNet50(options);
  throw InvalidArgument("[ChooseWorkload] there is no workload '{}'",
                        options.workload);
}

}  // namespace

Workload ChooseWorkload(const ScalingOptions& options) {
  return WithPrecision(InFloat32(options), options.precision);
}

namespace {

struct Runner {
  std::string label;  // "2 replicas"
  std::unique_ptr<Trainer> trainer;
};
using Runners = std::vector<Runner>;

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

PlantedSlowdown PlantedAt(const PlantedOptions& planted, int replicas) {
  if (planted.at_replicas != 0 && planted.at_replicas != replicas) return {};
  return {.work = std::chrono::microseconds(planted.work_us),
          .wait = std::chrono::microseconds(planted.wait_us)};
}

std::unique_ptr<Trainer> MakeTrainer(const ScalingOptions& options,
                                     const Workload& workload, int replicas,
                                     bool mirrored) {
  return std::make_unique<Trainer>(
      workload,
      TrainerOptions{
          .replicas = replicas,
          .threads_per_replica = std::max(1, options.threads / replicas),
          .mirrored = mirrored,
          .global_batch_size = GlobalBatchSize(options, workload),
          .seed = options.seed,
          .steps_per_epoch = options.steps,
          .device = options.device,
          .trace = !options.trace.empty(),
          .graph = options.graph,
          .each_step = options.step_times,
          .planted = PlantedAt(options.planted, replicas)});
}

Runners MakeRunners(const ScalingOptions& options, const Workload& workload) {
  Runners runners;
  if (options.baseline) {
    runners.push_back(
        {"no strategy", MakeTrainer(options, workload, 1, /*mirrored=*/false)});
  }
  for (int replicas : options.replicas) {
    runners.push_back(
        {fmt::format("{} replica{}", replicas, replicas == 1 ? "" : "s"),
         MakeTrainer(options, workload, replicas, /*mirrored=*/true)});
  }
  return runners;
}

void CheckTrace(const ScalingOptions& options, const Workload& workload,
                const Runners& runners) {
  if (options.trace.empty()) return;
  for (const Runner& runner : runners) {
    const int64_t steps = runner.trainer->steps_per_epoch() * options.epochs;
    if (steps > workload.warmup_steps) continue;
    throw InvalidArgument(
        "[Trace] the run has {} steps and {} of them are warm-up: there is "
        "nothing to trace; more --epochs or --steps would help",
        steps, workload.warmup_steps);
  }
}

// The document's line, behind what trained.
void PrintEpoch(const std::string& label, const EpochResult& epoch) {
  Print(
      "{}: Epoch {}, Loss: {:.4f}, Accuracy: {:.2f}, Test Loss: "
      "{:.4f}, Test Accuracy: {:.2f}  ({} images/s)\n",
      label, epoch.epoch_num, epoch.loss, epoch.accuracy, epoch.test_loss,
      epoch.eval_accuracy, FormatRate(epoch.images_per_second));
  std::fflush(stdout);
}

int64_t TotalImages(const ScalingOptions& options, const Runners& runners) {
  int64_t images = 0;
  for (const Runner& runner : runners) {
    images += runner.trainer->images_per_epoch();
  }
  return images * options.epochs;
}

std::vector<TrainingResult> ResultsSoFar(const Runners& runners) {
  std::vector<TrainingResult> results;
  for (const Runner& runner : runners) {
    results.push_back(runner.trainer->ResultSoFar());
  }
  return results;
}

// Trains epoch `epoch` on every trainer; false when stopped.
bool TrainAll(const ScalingOptions& options, Runners& runners, int epoch,
              ProgressBar& bar, Turns& turns, const ScalingHooks& hooks) {
  for (size_t turn = 0; turn < runners.size(); ++turn) {
    const size_t which = epoch % 2 == 0 ? turn : runners.size() - 1 - turn;
    const Runner& runner = runners[which];
    bar.SetLabel(fmt::format("epoch {}/{}, {}", epoch + 1, options.epochs,
                             runner.label));
    const std::optional<EpochResult> result = runner.trainer->TrainEpoch(
        {.step_is_over =
             [&](int64_t images) {
               bar.Advance(images);
               return !hooks.stop() && turns.StepIsOver();
             },
         .steps_are_over = [&] { return turns.EpochIsOver(); }});
    if (!result) return false;
    bar.Clear();
    PrintEpoch(runner.label, *result);
    hooks.epoch_is_over(ResultsSoFar(runners));
  }
  return true;
}

}  // namespace

ScalingRun RunScaling(const ScalingOptions& options, const Workload& workload,
                      const ScalingHooks& hooks) {
  Runners runners = MakeRunners(options, workload);
  CheckTrace(options, workload, runners);
  ProgressBar bar(TotalImages(options, runners), "images");
  Turns turns({.steps = options.pace}, hooks.stop);
  ScalingRun run;
  run.complete = turns.Begin();
  for (int epoch = 0; epoch < options.epochs && run.complete; ++epoch) {
    run.complete = TrainAll(options, runners, epoch, bar, turns, hooks);
  }
  bar.Clear();
  for (const Runner& runner : runners) {
    run.results.push_back(runner.trainer->Result());
    if (!options.trace.empty()) run.traces.push_back(runner.trainer->Trace());
  }
  // Last: the memory that they take would count as the training's.
  for (size_t i = 0; i < runners.size(); ++i) {
    run.results[i].library = runners[i].trainer->TimeLibraries();
  }
  return run;
}

}  // namespace lockstep::benchmarks
