#include "benchmarks/scaling_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <thread>

#include "benchmarks/workloads/all_workloads.h"
#include "command_line/parse.h"

namespace lockstep::benchmarks {
namespace {

std::string Description() {
  std::string text =
      "Trains a model at several numbers of replicas and shows how it "
      "scales:\n";
  for (const NamedWorkload& each : AllWorkloads()) {
    std::string help = each.help;
    for (size_t at = 0; (at = help.find('\n', at)) != help.npos; ++at) {
      help.insert(at + 1, 21, ' ');
    }
    text += fmt::format("  {:<18} {}\n", each.name, help);
  }
  return text;
}

constexpr char kExamples[] =
    "Examples:\n"
    "  ./bazelw run //benchmarks:scaling\n"
    "      10 epochs at 1 and at 2 replicas, result and report in results/\n"
    "  ./bazelw run //benchmarks:scaling -- --replicas=1,2,4 --epochs=3\n"
    "  ./bazelw run //benchmarks:scaling -- --data=embedded --epochs=1 \\\n"
    "      --json=quick.json --report=none\n"
    "  ./bazelw run //benchmarks:scaling -- --workload=resnet50 --batch=4 \\\n"
    "      --image_size=64 --epochs=2\n"
    "  ./bazelw run //benchmarks:scaling -- --scaling=strong --batch=128\n"
    "  ./bazelw run //benchmarks:scaling -- --epochs=1 --trace=step.json\n"
    "  ./bazelw run //benchmarks:scaling -- --replicas=1 --baseline\n"
    "  ./bazelw run //benchmarks:scaling -- --workers=1,2 --replicas=1,2\n"
    "      also two processes, each with one and with two replicas\n"
    "  mpirun -np 2 --bind-to none bazel-bin/benchmarks/scaling --replicas=1 "
    "\\\n"
    "      --chief=localhost:7000\n"
    "      two processes that Open MPI starts and connects\n"
    "\n"
    "Ctrl-C stops after the current step; what was measured is written and\n"
    "marked incomplete. After each epoch the result file holds the epochs so\n"
    "far. The full data set comes with ./bazelw run //image_datasets:fetch.\n"
    "\n"
    "Exit status: 0; 1 when something failed, 2 for a wrong command line; 130\n"
    "after Ctrl-C (128 and the signal's number).\n";

void AddWorkloadOptions(CLI::App& app, ScalingOptions& options) {
  app.add_option("--workload", options.workload, "what to train")
      ->check(CLI::IsMember(WorkloadNames()))
      ->capture_default_str();
  app.add_option("--batch", options.batch,
                 "examples a step, for each replica or, with --scaling=strong, "
                 "for all (0: the workload's own number)")
      ->check(WholeNumber(0, 65536))
      ->capture_default_str();
  app.add_option("--scaling", options.scaling,
                 "weak: each replica has its own batch; strong: one "
                 "batch is divided, and more replicas do the same work")
      ->check(CLI::IsMember({"weak", "strong"}))
      ->capture_default_str();
  app.add_option("--precision", options.precision,
                 "the layers' dtype policy; mixed_float16 scales the loss")
      ->check(CLI::IsMember({"float32", "mixed_bfloat16", "mixed_float16"}))
      ->capture_default_str();
  app.add_option("--data", options.data,
                 "images: full (60,000), embedded (10,000), or auto: full "
                 "where it is available; bert, ncf, nmt: full is what was "
                 "downloaded, else what is made here")
      ->check(CLI::IsMember({"auto", "full", "embedded"}))
      ->capture_default_str();
  app.add_option("--image_size", options.image_size,
                 "resnet50: rows and columns of an image")
      ->check(WholeNumber(32, 1024))
      ->capture_default_str();
  app.add_option("--l2", options.l2, "resnet50: penalty on all kernels")
      ->check(RealNumber(0, 1))
      ->capture_default_str();
}

void AddDeviceOptions(CLI::App& app, ScalingOptions& options) {
  app.add_option("--device", options.device,
                 "what replicas train on: logical CPUs, or GPUs (the first one "
                 "is divided where there are too few)")
      ->check(CLI::IsMember({"cpu", "gpu"}))
      ->capture_default_str();
  app.add_option(
         "--graph", options.graph,
         "gpu: capture a training step as a CUDA graph and launch that; "
         "false: the host enqueues every kernel of every step")
      ->capture_default_str();
  app.add_flag("--tf32", options.tf32,
               "gpu: float32 products may round to TensorFloat-32");
  app.add_flag("--autotune", options.autotune,
               "gpu: time the best few plans of a product or convolution, and "
               "take the fastest");
}

void AddOptions(CLI::App& app, ScalingOptions& options) {
  app.add_option("--epochs", options.epochs, "epochs to train")
      ->check(WholeNumber(1, 1000))
      ->capture_default_str();
  app.add_option("--workers", options.workers,
                 "numbers of worker processes, separated by commas; beyond one "
                 "they are started, and meet over gRPC and Gloo")
      ->delimiter(',')
      ->check(WholeNumber(1, 64))
      ->default_str("1");
  app.add_option("--chief", options.chief,
                 "where mpirun, srun or torchrun has started this program as "
                 "each of the workers: host:port at which they meet");
  app.add_option("--replicas", options.replicas,
                 "numbers of replicas of each worker, separated by commas")
      ->delimiter(',')
      ->check(WholeNumber(1, 256))
      ->default_str("1,2");
  app.add_flag("--baseline", options.baseline,
               "also train one replica without a strategy, and report what a "
               "strategy costs");
  app.add_option("--json", options.json,
                 "result file (default: results/scaling-<date>.json in the "
                 "checkout, which git ignores)");
  app.add_option("--report", options.report,
                 "HTML page, or none (default: beside the result file)");
  app.add_option("--trace", options.trace,
                 "file for a trace of three steps after the warm-up at each "
                 "number of replicas; open it in ui.perfetto.dev");
  app.add_option("--seed", options.seed, "seed of weights and shuffling")
      ->check(WholeNumber<uint64_t>())
      ->capture_default_str();
  app.add_option("--threads", options.threads,
                 "cores to use in all, shared by the replicas of all workers "
                 "(0: all)")
      ->check(WholeNumber(0, 1024))
      ->capture_default_str();
  app.add_option("--steps", options.steps,
                 "steps an epoch, at most the whole data set (0: as the "
                 "workload has it)")
      ->check(WholeNumber(0, 1000000))
      ->capture_default_str();
}

// For comparing two programs step by step. Options that programs set are
// hidden; docs/formats.md and benchmarks/README.md describe them.
void AddStepOptions(CLI::App& app, ScalingOptions& options) {
  app.add_flag("--step_times", options.step_times,
               "write wall and CPU time of every step into the result");
  const auto hidden = [&](const char* name, int& value, int least, int most) {
    app.add_option(name, value)->check(WholeNumber(least, most))->group("");
  };
  hidden("--pace", options.pace, 1, 1000000);
  hidden("--plant_work_us", options.planted.work_us, 1, 10000000);
  hidden("--plant_work_percent", options.planted.work_percent, 1, 10000);
  hidden("--plant_wait_us", options.planted.wait_us, 1, 10000000);
  hidden("--plant_at_replicas", options.planted.at_replicas, 0, 256);
}

// For the processes that the program starts itself.
void AddPlace(CLI::App& app, WorkerPlace& place) {
  const auto hidden = [&](const char* name, int& value) {
    return app.add_option(name, value)->check(WholeNumber(1, 65535))->group("");
  };
  CLI::Option* const worker = hidden("--as_worker", place.worker);
  for (CLI::Option* option : {hidden("--of_workers", place.workers),
                              hidden("--with_replicas", place.replicas),
                              hidden("--chief_port", place.port)}) {
    worker->needs(option);
    option->needs(worker);
  }
}

// Steps that are only queued have no times.
void CheckSteps(const CLI::App& app, const ScalingOptions& options) {
  if (options.device == "cpu") return;
  for (const char* name : {"--step_times", "--pace"}) {
    if (app.count(name) == 0) continue;
    throw CLI::ValidationError(name, "is for --device=cpu");
  }
}

// All processes of a launcher train one configuration.
void CheckLaunched(const CLI::App& app, const ScalingOptions& options) {
  if (app.count("--workers") > 0) {
    throw CLI::ValidationError("--workers", "is the launcher's with --chief");
  }
  if (options.replicas.size() != 1 || options.baseline) {
    throw CLI::ValidationError(
        "--chief", "needs one number of --replicas, and no --baseline");
  }
}

// All-reduces between processes are untried on GPUs; turns and a step's CPU
// time are of one process.
void CheckWorkers(const CLI::App& app, const ScalingOptions& options) {
  const bool launched = !options.chief.empty();
  if (launched) CheckLaunched(app, options);
  if (!launched && std::ranges::max(options.workers) == 1) return;
  if (options.device != "cpu") {
    throw CLI::ValidationError("--device", "is cpu for several --workers");
  }
  for (const char* name : {"--step_times", "--pace"}) {
    if (app.count(name) == 0) continue;
    throw CLI::ValidationError(name, "is for --workers=1");
  }
}

// A place without a slowdown, and a place that the run does not have.
void CheckPlanted(const ScalingOptions& options) {
  const auto& [work, percent, wait, place] = options.planted;
  if (percent > 0 && !options.step_times && options.pace == 0) {
    throw CLI::ValidationError("--plant_work_percent",
                               "is for --step_times and --pace");
  }
  if (place == 0) return;
  if (work == 0 && percent == 0 && wait == 0) {
    throw CLI::ValidationError("--plant_at_replicas",
                               "is for the other --plant_ options");
  }
  if (std::ranges::count(options.replicas, place) == 0) {
    throw CLI::ValidationError("--plant_at_replicas",
                               fmt::format("{} is not in --replicas", place));
  }
}

// Refuses options that have no effect on the workload or the device.
void CheckChosen(const CLI::App& app, const ScalingOptions& options) {
  const bool resnet50 = options.workload == "resnet50";
  const auto foreign = resnet50
                           ? std::vector<std::string>{"--data"}
                           : std::vector<std::string>{"--image_size", "--l2"};
  for (const std::string& name : foreign) {
    if (app.count(name) == 0) continue;
    throw CLI::ValidationError(name, "is not for " + options.workload);
  }
  CheckSteps(app, options);
  CheckWorkers(app, options);
  CheckPlanted(options);
  if (options.device == "gpu" || !(options.tf32 || options.autotune)) return;
  throw CLI::ValidationError(options.tf32 ? "--tf32" : "--autotune",
                             "is for --device=gpu");
}

// Ascending, each once.
void SortOut(std::vector<int>& numbers) {
  std::ranges::sort(numbers);
  const auto repeated = std::ranges::unique(numbers);
  numbers.erase(repeated.begin(), repeated.end());
}

// All cores by default.
void Complete(ScalingOptions& options) {
  SortOut(options.workers);
  SortOut(options.replicas);
  if (options.threads == 0) {
    options.threads =
        std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }
  if (options.pace > 0) options.step_times = true;
}

}  // namespace

ParsedOptions ParseScalingOptions(int argc, const char* const* argv) {
  ParsedOptions parsed;
  CLI::App app{Description(), "scaling"};
  app.footer(kExamples);
  AddWorkloadOptions(app, parsed.options);
  AddDeviceOptions(app, parsed.options);
  AddOptions(app, parsed.options);
  AddStepOptions(app, parsed.options);
  AddPlace(app, parsed.options.place);
  parsed.options.words = {argv, argv + argc};
  parsed.exit_status = ParseCommandLine(
      app, argc, argv, [&] { CheckChosen(app, parsed.options); });
  if (!parsed.exit_status) Complete(parsed.options);
  return parsed;
}

}  // namespace lockstep::benchmarks
