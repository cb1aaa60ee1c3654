// A worker that trains, saves, resumes from the last checkpoint and reports
// each event as a line of JSON (docs/formats.md), so that a program can inject
// a fault and watch the job. TF_CONFIG says which worker it is.
//
//   worker --directory=train --save_every=8
//
// Exit status: 0 after all steps; 1 after an error, which the last line names.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "benchmarks/faults/sparse_training.h"
#include "command_line/parse.h"
#include "reference/base/error.h"
#include "reference/base/json.h"
#include "reference/checkpoint/checkpoint.h"
#include "reference/checkpoint/checkpoint_manager.h"
#include "reference/checkpoint/checkpoint_state.h"
#include "reference/cluster/write_directory.h"
#include "reference/device/device.h"
#include "reference/distribute/multi_worker/multi_worker_mirrored_strategy.h"

namespace lockstep::benchmarks {
namespace {

constexpr int kKeptCheckpoints = 2;

struct Options {
  std::string directory;
  int epochs = 3;
  int save_every = 8;
  double timeout = 0;
  double join_timeout = 0;
};

// A line with the event and the time of CLOCK_MONOTONIC, in seconds.
void Say(const char* event, Json fields = Json::object()) {
  fields["event"] = event;
  fields["time"] = std::chrono::duration<double>(
                       std::chrono::steady_clock::now().time_since_epoch())
                       .count();
  std::printf("%s\n", fields.dump().c_str());
  std::fflush(stdout);
}

std::chrono::milliseconds ToMilliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
}

MultiWorkerMirroredStrategyOptions StrategyOptions(const Options& options) {
  MultiWorkerMirroredStrategyOptions strategy;
  strategy.threads_per_replica = 1;
  strategy.control.program = "benchmarks/faults/worker";
  if (options.timeout > 0) {
    const auto timeout = ToMilliseconds(options.timeout);
    strategy.communication.timeout = timeout;
    strategy.communication.gloo.stall_limit = timeout;
    strategy.control.heartbeat_timeout = timeout;
  }
  if (options.join_timeout > 0) {
    const auto timeout = ToMilliseconds(options.join_timeout);
    strategy.control.join_timeout = timeout;
    strategy.communication.gloo.connect_limit = timeout;
  }
  return strategy;
}

void TrainAndSave(const Options& options, Strategy& strategy) {
  SparseTraining training(strategy);
  Checkpoint checkpoint(training.objects());
  const auto latest = LatestCheckpoint(options.directory);
  if (latest) checkpoint.Restore(latest).AssertConsumed();
  const WriteDirectory directory(strategy.topology(), options.directory);
  CheckpointManager manager(checkpoint, directory.path(),
                            {.max_to_keep = kKeptCheckpoints});
  Say("joined", {{"step", training.step()}});
  training.Train(options.epochs, [&](int64_t step, float loss) {
    Say("step", {{"step", step}, {"loss", loss}});
    if (step % options.save_every != 0) return;
    Say("saving", {{"step", step}});
    manager.Save();
    Say("saved", {{"step", step}});
  });
  Say("trained", {{"weights", training.changed_weights()}});
}

void Work(const Options& options) {
  Say("started");
  SetLogicalCpuDevices(1);
  {
    MultiWorkerMirroredStrategy strategy(StrategyOptions(options));
    TrainAndSave(options, strategy);
  }
  Say("ended");
}

std::optional<int> Parse(int argc, char** argv, Options& options) {
  CLI::App app("A worker that trains, saves and resumes.");
  app.add_option("--directory", options.directory,
                 "of the checkpoints, the same for all workers")
      ->required();
  app.add_option("--epochs", options.epochs, "of 16 steps")
      ->check(WholeNumber(1, 1000))
      ->capture_default_str();
  app.add_option("--save_every", options.save_every, "steps")
      ->check(WholeNumber(1, 1000))
      ->capture_default_str();
  app.add_option("--timeout", options.timeout,
                 "seconds that it waits for a worker that does not answer; 0: "
                 "as the library has it")
      ->check(RealNumber(0, 3600));
  app.add_option("--join_timeout", options.join_timeout,
                 "seconds that all workers have to come; 0: as the library has "
                 "it")
      ->check(RealNumber(0, 3600));
  return ParseCommandLine(app, argc, argv);
}

}  // namespace
}  // namespace lockstep::benchmarks

int main(int argc, char** argv) {
  using lockstep::benchmarks::Say;
  lockstep::benchmarks::Options options;
  if (const auto status = lockstep::benchmarks::Parse(argc, argv, options)) {
    return *status;
  }
  try {
    lockstep::benchmarks::Work(options);
    return 0;
  } catch (const lockstep::Error& error) {
    Say("error", {{"class", lockstep::CodeName(error.code())},
                  {"message", error.what()}});
  } catch (const std::exception& error) {
    Say("error", {{"class", "unknown"}, {"message", error.what()}});
  }
  return 1;
}
