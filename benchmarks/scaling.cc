// ./bazelw run //benchmarks:scaling: mirrored training of a real model at
// several numbers of replicas; table, result JSON, HTML report.

#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>

#include "benchmarks/choose_workload.h"
#include "benchmarks/machine_context.h"
#include "benchmarks/report_process.h"
#include "benchmarks/scaling_options.h"
#include "benchmarks/scaling_run.h"
#include "benchmarks/trace_file.h"
#include "benchmarks/training_result.h"
#include "reference/base/interrupt.h"
#include "reference/base/json.h"
#include "reference/kernels/gpu_math.h"

namespace lockstep::benchmarks {
namespace {

// `bazel run` starts elsewhere: files belong to the folder the user is in.
void EnterUsersFolder() {
  if (const char* folder = std::getenv("BUILD_WORKING_DIRECTORY")) {
    std::filesystem::current_path(folder);
  }
}

// "scaling-20260131-120000.json", or what the user asked for.
std::string ResultPath(const ScalingOptions& options) {
  if (!options.json.empty()) return options.json;
  std::string digits;
  for (char c : CurrentDate().substr(0, 19)) {
    if (c == 'T') digits += '-';
    if (c >= '0' && c <= '9') digits += c;
  }
  return "scaling-" + digits + ".json";
}

std::string ReportPath(const ScalingOptions& options,
                       const std::string& result) {
  if (!options.report.empty()) return options.report;
  return std::filesystem::path(result).replace_extension(".html");
}

Json Context(const ScalingOptions& options, const Workload& workload,
             bool complete) {
  Json context = MachineContext();
  context["workload"] = workload.name;
  context["complete"] = complete;
  context["data"] = {{"name", workload.data_name},
                     {"source", workload.data_source},
                     {"description", workload.data.description},
                     {"train_images", workload.data.train.size()},
                     {"test_images", workload.data.test.size()}};
  context["options"] = {
      {"epochs", options.epochs},   {"replicas", options.replicas},
      {"threads", options.threads}, {"seed", options.seed},
      {"steps", options.steps},     {"batch", workload.images_per_replica},
      {"scaling", options.scaling}};
  if (options.device == "gpu") {
    context["options"]["graph"] = options.graph;
    context["gpu_math"] = Describe(CurrentGpuMath());
  }
  context["options"].update(workload.details);
  context["precision"] = workload.precision;
  return context;
}

Json ResultFile(const ScalingOptions& options, const Workload& workload,
                const ScalingRun& run) {
  Json result;
  result["context"] = Context(options, workload, run.complete);
  result["benchmarks"] = Json::array();
  for (const TrainingResult& entry : run.results) {
    result["benchmarks"].push_back(ToJson(entry, run.results));
  }
  return result;
}

void PrintStart(const ScalingOptions& options, const Workload& workload) {
  fmt::print("Training {} on {} images ({} data), {} cores\n",
             workload.description, workload.data.train.size(),
             workload.data_source, options.threads);
  if (workload.data_source == "embedded" && options.data == "auto") {
    fmt::print(
        "The full data set is not here; ./bazelw run //datasets:fetch brings "
        "it.\n");
  }
}

int Run(const std::string& program, const ScalingOptions& options) {
  EnterUsersFolder();
  std::optional<TraceFile> trace;  // its place is taken before a long run
  if (!options.trace.empty()) trace.emplace(options.trace);
  SetGpuMath({.allow_tf32 = options.tf32, .autotune = options.autotune});
  const Workload workload = ChooseWorkload(options);
  PrintStart(options, workload);
  const InterruptScope interrupt;
  const ScalingRun run =
      RunScaling(options, workload, [&] { return interrupt.requested(); });
  fmt::print("\n{}{}", FormatTable(run.results),
             run.complete ? "" : "Interrupted: the run is incomplete.\n");
  const std::string result = ResultPath(options);
  WriteJsonFile(result, ResultFile(options, workload, run));
  fmt::print("\nresult  {}\n", std::filesystem::absolute(result).string());
  if (trace) {
    trace->Write(run.traces);
    fmt::print("trace   {}\n",
               std::filesystem::absolute(options.trace).string());
  }
  if (options.report != "none") {
    const std::string report = ReportPath(options, result);
    MakePerformanceReport(program, result, report);
    fmt::print("report  {}\n", std::filesystem::absolute(report).string());
  }
  return run.complete ? 0 : 130;  // as a shell reports Ctrl-C
}

}  // namespace
}  // namespace lockstep::benchmarks

int main(int argc, char** argv) {
  using namespace lockstep::benchmarks;
  const ParsedOptions parsed = ParseScalingOptions(argc, argv);
  if (parsed.exit) return parsed.exit_status;
  try {
    return Run(argv[0], parsed.options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
