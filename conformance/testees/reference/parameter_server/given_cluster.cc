#include "conformance/testees/reference/parameter_server/given_cluster.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "conformance/testees/reference/parameter_server/coordinator_steps.h"
#include "reference/layers/layer_impl.h"
#include "reference/parameter_server/variables/partitioners.h"

namespace lockstep::conformance {
namespace {

// Shorter than the deadline of the runner for the whole program.
constexpr std::chrono::seconds kJoinTimeout{30};

int64_t Number(const Json& arguments, const char* name,
               std::optional<int64_t> otherwise = std::nullopt) {
  const auto found = arguments.find(name);
  if (found == arguments.end() && otherwise) return *otherwise;
  const std::optional<int64_t> number =
      found == arguments.end() ? std::nullopt : IntegerIn(*found);
  if (!number) {
    throw ProgramError(fmt::format("a partitioner needs '{}'", name));
  }
  return *number;
}

bool IsWorkersProcess() { return std::getenv("TF_CONFIG") != nullptr; }

}  // namespace

Partitioner PartitionerOf(const Json& arguments) {
  const std::string kind = arguments.value("kind", "");
  if (kind == "fixed_shards") {
    return FixedShardsPartitioner(Number(arguments, "num_shards"));
  }
  if (kind == "min_size") {
    return MinSizePartitioner(Number(arguments, "min_shard_bytes", 256 << 10),
                              Number(arguments, "max_shards", 1));
  }
  if (kind == "max_size") {
    const int64_t bytes = Number(arguments, "max_shard_bytes");
    if (!arguments.contains("max_shards")) {
      return MaxSizePartitioner(bytes);
    }
    return MaxSizePartitioner(bytes, Number(arguments, "max_shards"));
  }
  throw ProgramError("unknown partitioner: " + kind);
}

GivenCluster::GivenCluster(const ClusterProgram& program) {
  ParameterServerStrategyOptions options;
  options.threads_per_worker = 1;
  options.control.join_timeout = kJoinTimeout;
  if (program.given.contains("partitioner")) {
    options.partitioner = PartitionerOf(program.given["partitioner"]);
  }
  if (IsWorkersProcess()) {
    strategy_ = std::make_unique<ParameterServerStrategy>(options);
    return;
  }
  // Workers are new processes: names are counted from the start there.
  ClearSession();
  processes_ = std::make_unique<ClusterProcesses>(
      program, HasCoordinator(program.program));
  strategy_ =
      std::make_unique<ParameterServerStrategy>(processes_->cluster(), options);
}

std::string GivenCluster::NextName() {
  return fmt::format("function {}", functions_++);
}

std::shared_ptr<GivenCluster> MakeGivenCluster(const Json& given,
                                               const Json& program,
                                               const std::string& folder) {
  if (!given.contains("servers")) return nullptr;
  return std::make_shared<GivenCluster>(
      ClusterProgram{.given = given, .program = program, .folder = folder});
}

}  // namespace lockstep::conformance
