// ./bazelw run //benchmarks:scaling: mirrored training of a real model at
// several numbers of workers and replicas; table, result JSON, HTML report.

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "benchmarks/measurement/machine_context.h"
#include "benchmarks/measurement/training_result.h"
#include "benchmarks/run_files.h"
#include "benchmarks/scaling_options.h"
#include "benchmarks/scaling_run.h"
#include "benchmarks/scaling_trainer.h"
#include "benchmarks/scaling_workers.h"
#include "command_line/program.h"
#include "reference/base/json.h"
#include "reference/base/terminal.h"
#include "reference/kernels/gpu_libraries.h"

namespace lockstep::benchmarks {
namespace {

// "scaling-20260131-120000", of the result's date.
std::string StemOf(const Json& machine) {
  std::string digits;
  for (char c : machine["date"].get<std::string>().substr(0, 19)) {
    if (c == 'T') digits += '-';
    if (c >= '0' && c <= '9') digits += c;
  }
  return "scaling-" + digits;
}

// What is known of the run before it begins.
Json Context(const Json& machine, const ScalingOptions& options,
             const Workload& workload) {
  Json context = machine;
  context["workload"] = workload.name;
  context["complete"] = false;
  context["data"] = {{"name", workload.data.name},
                     {"source", workload.data.source},
                     {"description", workload.data.description},
                     {"item", workload.data.item},
                     {"train_examples", workload.data.train_size},
                     {"test_examples", workload.data.test_size}};
  context["options"] = {{"epochs", options.epochs},
                        {"workers", options.workers},
                        {"replicas", options.replicas},
                        {"threads", options.threads},
                        {"seed", options.seed},
                        {"steps", options.steps},
                        {"batch", workload.batch_per_replica},
                        {"scaling", options.scaling}};
  if (options.pace > 0) context["options"]["pace"] = options.pace;
  const auto& [work, percent, wait, place] = options.planted;
  if (work > 0 || percent > 0 || wait > 0) {
    context["options"]["planted"] = {{"work_us", work},
                                     {"work_percent", percent},
                                     {"wait_us", wait},
                                     {"at_replicas", place}};
  }
  if (options.device == "gpu") {
    context["options"]["graph"] = options.graph;
    context["gpu_math"] = Describe(CurrentGpuMath());
  }
  for (const auto& [name, value] : workload.details) {
    std::visit([&](auto number) { context["options"][name] = number; }, value);
  }
  context["precision"] = workload.precision;
  return context;
}

Json ResultOf(Json context, const std::vector<TrainingResult>& runs,
              bool complete) {
  context["complete"] = complete;
  Json result;
  result["context"] = std::move(context);
  result["benchmarks"] = Json::array();
  for (const TrainingResult& run : runs) {
    result["benchmarks"].push_back(ToJson(run, runs));
  }
  return result;
}

void PrintStart(const ScalingOptions& options, const Workload& workload) {
  Print("Training {} on {} {}s ({} data), {} cores\n", workload.description,
        workload.data.train_size, workload.data.item, workload.data.source,
        options.threads);
  if (workload.data.source == "embedded" && options.data == "auto") {
    Print(
        "The full data set is not here; ./bazelw run //image_datasets:fetch "
        "brings "
        "it.\n");
  }
  std::fflush(stdout);
}

int Run(const std::string& program, const ScalingOptions& options) {
  EnterUsersFolder();
  const Json machine = MachineContext();
  RunFiles files(options, StemOf(machine));
  SetGpuMath({.allow_tf32 = options.tf32, .autotune = options.autotune});
  const Workload workload = ChooseWorkload(options);
  const Json context = Context(machine, options, workload);
  const InterruptScope interrupt;
  PrintStart(options, workload);
  const ScalingRun run = RunScaling(
      options, workload,
      {.stop = [&] { return interrupt.requested(); },
       .epoch_is_over =
           [&](const std::vector<TrainingResult>& so_far) {
             files.KeepSoFar(ResultOf(context, so_far, /*complete=*/false));
           }});
  Print("\n{}{}\n", FormatTable(run.results),
        run.complete ? "" : "Interrupted: the run is incomplete.\n");
  files.WriteAll(program, ResultOf(context, run.results, run.complete),
                 run.traces);
  return run.complete ? 0 : interrupt.exit_status();
}

}  // namespace
}  // namespace lockstep::benchmarks

int main(int argc, char** argv) {
  using namespace lockstep::benchmarks;
  return lockstep::RunProgram([&] {
    ParsedOptions parsed = ParseScalingOptions(argc, argv);
    if (parsed.exit_status) return *parsed.exit_status;
    ScalingOptions& options = parsed.options;
    if (options.place.worker > 0) return RunWorker(options);
    const lockstep::ClusterSpec cluster = FindCluster(options);
    if (!options.chief.empty()) options.workers = {cluster.num_workers()};
    return cluster.is_chief() ? Run(argv[0], options)
                              : RunLaunchedWorker(options);
  });
}
