#include "benchmarks/scaling_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "benchmarks/measurement/turns.h"
#include "benchmarks/scaling_trainer.h"
#include "benchmarks/scaling_workers.h"
#include "command_line/program.h"
#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/base/terminal.h"

namespace lockstep::benchmarks {
namespace {

struct Runner {
  std::string label;  // "2 replicas"
  std::unique_ptr<Trainer> trainer;
  std::unique_ptr<OtherWorkers> others = nullptr;  // where there are several
};
using Runners = std::vector<Runner>;

std::vector<Configuration> Configurations(const ScalingOptions& options) {
  std::vector<Configuration> all;
  if (options.baseline) all.push_back({.mirrored = false});
  for (const int workers : options.workers) {
    for (const int replicas : options.replicas) {
      all.push_back({.workers = workers, .replicas = replicas});
    }
  }
  return all;
}

// The workers are in `runners` before they connect, so they end with it.
void MakeRunners(const ScalingOptions& options, const Workload& workload,
                 Runners& runners) {
  for (const Configuration& configuration : Configurations(options)) {
    Runner& runner = runners.emplace_back();
    runner.label = configuration.Label();
    if (configuration.workers == 1) {
      runner.trainer = MakeTrainer(options, workload, configuration);
    } else if (!options.chief.empty()) {
      runner.trainer =
          MakeTrainer(options, workload, configuration, MeetLaunched(options));
    } else {
      runner.others = std::make_unique<OtherWorkers>(options, configuration);
      runner.trainer =
          MakeTrainer(options, workload, configuration, runner.others->Meet());
    }
  }
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

// The document's line, after the configuration.
void PrintEpoch(const Runner& runner, const EpochResult& epoch,
                const std::string& item) {
  const auto& [name, words, scale, unit] = runner.trainer->quality();
  std::string title = words;
  title[0] = static_cast<char>(std::toupper(title[0]));
  const std::string quality =
      epoch.quality ? fmt::format(" {}: {:.2f},", title, scale * *epoch.quality)
                    : "";
  Print(
      "{}: Epoch {}, Loss: {:.4f},{} Test Loss: {:.4f}, Test {}: {:.2f}  ({} "
      "{}s/s)\n",
      runner.label, epoch.epoch_num, epoch.loss, quality, epoch.test_loss,
      title, scale * epoch.test_quality, FormatRate(epoch.items_per_second),
      item);
  std::fflush(stdout);
}

int64_t TotalExamples(const ScalingOptions& options, const Runners& runners) {
  int64_t examples = 0;
  for (const Runner& runner : runners) {
    examples += runner.trainer->examples_per_epoch();
  }
  return examples * options.epochs;
}

std::vector<TrainingResult> ResultsSoFar(const Runners& runners) {
  std::vector<TrainingResult> results;
  for (const Runner& runner : runners) {
    results.push_back(runner.trainer->ResultSoFar());
  }
  return results;
}

// Trains epoch `epoch` on every trainer; false when stopped.
bool TrainAll(const ScalingOptions& options, const Workload& workload,
              Runners& runners, int epoch, ProgressBar& bar, Turns& turns,
              const ScalingHooks& hooks) {
  for (size_t turn = 0; turn < runners.size(); ++turn) {
    const size_t which = epoch % 2 == 0 ? turn : runners.size() - 1 - turn;
    const Runner& runner = runners[which];
    bar.SetLabel(fmt::format("epoch {}/{}, {}", epoch + 1, options.epochs,
                             runner.label));
    const std::optional<EpochResult> result = runner.trainer->TrainEpoch(
        {.step_is_over =
             [&](int64_t examples) {
               bar.Advance(examples);
               return !hooks.stop() && turns.StepIsOver();
             },
         .steps_are_over = [&] { return turns.EpochIsOver(); }});
    if (!result) return false;
    bar.Clear();
    PrintEpoch(runner, *result, workload.data.item);
    hooks.epoch_is_over(ResultsSoFar(runners));
  }
  return true;
}

// How other workers ended, which explains an error: a failed one informs the
// others before it ends.
std::string ProblemsOfWorkers(const Runners& runners) {
  constexpr auto kMoment = std::chrono::milliseconds(500);
  const auto alone = [](const Runner& runner) { return !runner.others; };
  if (std::ranges::all_of(runners, alone)) return "";
  for (const auto pause : {std::chrono::milliseconds(0), kMoment}) {
    std::this_thread::sleep_for(pause);
    std::string text;
    for (const Runner& runner : runners) {
      if (!runner.others) continue;
      for (const std::string& problem : runner.others->Problems()) {
        text += "\n" + problem;
      }
    }
    if (!text.empty()) return text;
  }
  return "";
}

// Errors of workers that are being ended are expected.
void EndQuietly(Runners& runners) {
  const LogCapture quiet;
  runners.clear();
}

ScalingRun Train(const ScalingOptions& options, const Workload& workload,
                 const ScalingHooks& hooks, Runners& runners) {
  ProgressBar bar(TotalExamples(options, runners), workload.data.item + "s");
  Turns turns({.steps = options.pace}, hooks.stop);
  ScalingRun run;
  run.complete = turns.Begin();
  for (int epoch = 0; epoch < options.epochs && run.complete; ++epoch) {
    run.complete =
        TrainAll(options, workload, runners, epoch, bar, turns, hooks);
  }
  bar.Clear();
  for (const Runner& runner : runners) {
    if (!run.complete) runner.trainer->GiveUp();
    run.results.push_back(runner.trainer->Result());
    if (!options.trace.empty()) run.traces.push_back(runner.trainer->Trace());
  }
  // Last: the memory that they take would count as the training's.
  for (size_t i = 0; i < runners.size(); ++i) {
    run.results[i].library = runners[i].trainer->TimeLibraries();
  }
  return run;
}

// All workers have finished training, and wait only for the end of ours.
void JoinWorkers(Runners& runners) {
  for (Runner& runner : runners) {
    if (!runner.others) continue;
    runner.trainer.reset();
    runner.others->Join();
  }
}

}  // namespace

ScalingRun RunScaling(const ScalingOptions& options, const Workload& workload,
                      const ScalingHooks& hooks) {
  Runners runners;
  try {
    MakeRunners(options, workload, runners);
    CheckTrace(options, workload, runners);
    ScalingRun run = Train(options, workload, hooks, runners);
    if (run.complete) JoinWorkers(runners);
    EndQuietly(runners);
    return run;
  } catch (const Error& error) {
    const std::string problems = ProblemsOfWorkers(runners);
    EndQuietly(runners);
    throw Error(error.code(), error.what() + problems);
  }
}

}  // namespace lockstep::benchmarks
