#include "conformance/testees/reference/reference_testee.h"

#include <chrono>
#include <memory>
#include <optional>

#include "conformance/runner/cases/program.h"
#include "conformance/testees/reference/intents/job_steps.h"
#include "conformance/testees/reference/interpreter.h"
#include "conformance/testees/reference/parameter_server/given_cluster.h"
#include "conformance/testees/reference/parameter_server/server_object.h"
#include "conformance/testees/reference/program_folder.h"
#include "conformance/testees/reference/value.h"
#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/cluster/tf_config_cluster_resolver.h"
#include "reference/device/device.h"
#include "reference/distribute/mirrored_strategy.h"
#include "reference/distribute/multi_worker/multi_worker_mirrored_strategy.h"
#include "reference/layers/layer.h"

namespace lockstep::conformance {
namespace {

int Count(const Json& given, const char* field, int otherwise) {
  const auto found = given.find(field);
  if (found == given.end()) return otherwise;
  const std::optional<int64_t> count = IntegerIn(*found);
  if (!count || *count < 1 || *count > kMaxReplicas) {
    throw ProgramError(fmt::format("'{}' is 1 to {}, got {}", field,
                                   kMaxReplicas, found->dump()));
  }
  return static_cast<int>(*count);
}

std::string StrategyName(const Json& given) {
  const auto strategy = given.find("strategy");
  for (const char* name : {"mirrored", "multi_worker_mirrored", "default"}) {
    if (strategy != given.end() && *strategy == name) return name;
  }
  throw ProgramError(
      "the strategy is not mirrored, multi_worker_mirrored or default");
}

std::shared_ptr<Strategy> MakeMultiWorker(std::vector<std::string> devices) {
  MultiWorkerMirroredStrategyOptions options;
  options.devices = std::move(devices);
  options.threads_per_replica = 1;
  // Shorter than the deadline of the runner for the whole program.
  options.control.join_timeout = std::chrono::seconds(30);
  return std::make_shared<MultiWorkerMirroredStrategy>(
      TfConfigClusterResolver(), options);
}

std::shared_ptr<Strategy> MakeGivenStrategy(const Json& given,
                                            const TestedDevices& devices) {
  const int replicas = Count(given, "replicas", 1);
  devices.SetCount(Count(given, "logical_devices", replicas));
  const std::string strategy = StrategyName(given);
  if (strategy == "default") return nullptr;
  std::vector<std::string> names;
  for (int i = 0; i < replicas; ++i) {
    names.push_back(devices.Translate(fmt::format("CPU:{}", i)));
  }
  if (strategy == "multi_worker_mirrored") {
    return MakeMultiWorker(std::move(names));
  }
  return std::make_shared<MirroredStrategy>(
      names, MirroredStrategyOptions{.threads_per_replica = 1});
}

// Captures the log, so that stderr does not have a line for each strategy.
class LogScope {
 public:
  explicit LogScope(ProgramLog log) : log_(std::move(log)) { log_->emplace(); }
  ~LogScope() { log_->reset(); }
  LogScope(const LogScope&) = delete;
  LogScope& operator=(const LogScope&) = delete;

 private:
  const ProgramLog log_;
};

std::shared_ptr<Strategy> StrategyOf(
    const std::shared_ptr<GivenCluster>& cluster) {
  return {cluster, &cluster->strategy()};
}

Json RunGiven(const Request& request, const StepTable& table,
              const TestedDevices& devices, const std::string& folder,
              const ProgramLog& log) {
  const LogScope logged(log);
  SetDTypePolicy("float32");
  const std::shared_ptr<GivenCluster> cluster =
      MakeGivenCluster(request.given, request.program, folder);
  const std::shared_ptr<Strategy> strategy =
      cluster ? StrategyOf(cluster) : MakeGivenStrategy(request.given, devices);
  const DeviceScope on(FindDevice(devices.Translate("CPU:0")));
  std::optional<StrategyScope> scope;
  if (strategy) scope.emplace(*strategy);
  Environment environment;
  if (strategy) environment.Bind("strategy", strategy);
  if (cluster) environment.Bind(kClusterName, MakeServerObject(cluster));
  RunProgram(request.program, environment, table, folder);
  return environment.observations();
}

Json RunJobs(const Request& request, const StepTable& table,
             const TestedDevices& devices, const std::string& folder,
             const ProgramLog& log) {
  Json observations = Json::object();
  for (const Request& job : JobsOf(request)) {
    observations.update(RunGiven(job, table, devices, folder, log));
  }
  return observations;
}

TesteeDeclaration Declare(const StepTable& table,
                          const TestedDevices& devices) {
  TesteeDeclaration declaration;
  declaration.name = "reference";
  declaration.implementation = "Lockstep reference";
  declaration.language = "c++";
  declaration.devices = {devices.kind_name()};
  declaration.conventions = {{"gradient_combination", "sum"},
                             {"indivisible_batch", "split"},
                             {"end_of_data", "split"},
                             {"placement", "blocks"},
                             {"empty_replica", "empty_batch"},
                             {"loss_reduction", "global_batch"},
                             {"accumulation_tail", "carry"},
                             {"schedule_unit", "optimizer_step"},
                             {"buffers", "mean"}};
  for (const auto& [name, function] : table.steps()) {
    declaration.steps.push_back(name);
  }
  return declaration;
}

}  // namespace

ReferenceTestee::ReferenceTestee(DeviceKind kind, std::string shared_folder)
    : devices_(kind),
      shared_folder_(std::move(shared_folder)),
      table_(MakeStepTable(devices_)) {
  AddLogSteps(table_, log_);
  declaration_ = Declare(table_, devices_);
}

Answer ReferenceTestee::Run(const Request& request) {
  try {
    if (!shared_folder_.empty()) {
      return Observations{
          RunJobs(request, table_, devices_, shared_folder_, log_)};
    }
    const ProgramFolder folder;
    return Observations{
        RunJobs(request, table_, devices_, folder.path(), log_)};
  } catch (const StepError& error) {
    return Failure{.error_class = std::string(CodeName(error.code())),
                   .message = error.what(),
                   .at_step = error.step()};
  } catch (const UnsupportedStep& unsupported) {
    return Unsupported{.step = unsupported.step(),
                       .reason = unsupported.what()};
  }
}

}  // namespace lockstep::conformance
