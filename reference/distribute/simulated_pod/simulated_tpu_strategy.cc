#include "reference/distribute/simulated_pod/simulated_tpu_strategy.h"

#include <fmt/core.h>

#include <memory>
#include <utility>

#include "reference/autodiff/host_layers.h"
#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/distribute/input/delivery.h"
#include "reference/distribute/input/joined_pipelines.h"
#include "reference/distribute/simulated_pod/pod_input.h"

namespace lockstep {
namespace {

using distribute_internal::InputPipeline;
using distribute_internal::Placement;

// A program has at most this many logical CPU devices without setting them.
constexpr int kMostCores = 64;

std::string Describe(int hosts, int cores_per_host) {
  return fmt::format("simulated TPU pod of {} host{} with {} core{} each",
                     hosts, hosts == 1 ? "" : "s", cores_per_host,
                     cores_per_host == 1 ? "" : "s");
}

// The number of cores.
int Check(const SimulatedTpuStrategyOptions& options) {
  const auto [hosts, cores, threads] = options;
  if (hosts < 1 || cores < 1) {
    throw InvalidArgument(
        "[SimulatedTpuStrategy] a simulated TPU pod has at least 1 host and 1 "
        "core per host, got {} hosts with {} cores each",
        hosts, cores);
  }
  if (hosts > kMostCores || cores > kMostCores || hosts * cores > kMostCores) {
    throw InvalidArgument(
        "[SimulatedTpuStrategy] a simulated TPU pod has at most {} cores, got "
        "{} hosts with {} cores each",
        kMostCores, hosts, cores);
  }
  return hosts * cores;
}

std::vector<Device*> CpuDevices(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(fmt::format("CPU:{}", i));
  return distribute_internal::FindDevices("SimulatedTpuStrategy", names);
}

std::vector<Device*> DevicesOf(const SimulatedTpuStrategyOptions& options) {
  const int cores = Check(options);
  try {
    return CpuDevices(cores);
  } catch (const Error& error) {
    if (error.code() != Code::kNotFound) throw;
    throw NotFound(
        "[SimulatedTpuStrategy] a {} needs {} logical CPU devices: {}; call "
        "SetLogicalCpuDevices({}) before, or ask for fewer cores",
        Describe(options.hosts, options.cores_per_host), cores, error.what(),
        cores);
  }
}

ReplicasPtr MakeReplicas(const SimulatedTpuStrategyOptions& options) {
  ReplicasPtr replicas =
      distribute_internal::MakeReplicasHere(DevicesOf(options));
  LogInfo("Using SimulatedTpuStrategy: a {}, no TPU, on devices ({})",
          Describe(options.hosts, options.cores_per_host),
          distribute_internal::NamesOf(replicas->devices));
  return replicas;
}

}  // namespace

SimulatedTpuStrategy::SimulatedTpuStrategy(
    const SimulatedTpuStrategyOptions& options)
    : MirroringStrategy(MakeReplicas(options), options.threads_per_replica),
      hosts_(options.hosts) {}

std::string SimulatedTpuStrategy::description() const {
  return Describe(hosts(), cores_per_host());
}

void SimulatedTpuStrategy::RunReplicas(const ReplicaBody& body) {
  MirroringStrategy::RunReplicas([&](LocalIndex replica) {
    const NoHostLayersScope scope;
    body(replica);
  });
}

Topology SimulatedTpuStrategy::TopologyOn(int host) const {
  return Topology(std::vector<int>(hosts(), cores_per_host()), WorkerId(host));
}

std::vector<Device*> SimulatedTpuStrategy::DevicesOn(int host) const {
  const auto first = devices().begin() + host * cores_per_host();
  return {first, first + cores_per_host()};
}

DistributedDataset SimulatedTpuStrategy::Join(
    std::vector<DistributedDataset> pipelines,
    const InputOptions& options) const {
  std::vector<InputPipeline> joined;
  for (int host = 0; host < hosts(); ++host) {
    joined.push_back(
        {.steps = pipelines[host].source(),
         .placement = Placement(DevicesOn(host), options.fetch_to_device)});
  }
  return DistributedDataset(pod_internal::CheckSteps(
      distribute_internal::JoinPipelines(std::move(joined)),
      options.fetch_to_device));
}

DistributedDataset SimulatedTpuStrategy::MakeInput(
    const Dataset& dataset, const InputOptions& options) const {
  pod_internal::CheckNoGenerator(dataset);
  std::vector<DistributedDataset> pipelines;
  for (int host = 0; host < hosts(); ++host) {
    pipelines.push_back(lockstep::DistributeDataset(
        TopologyOn(host), DevicesOn(host), dataset, options));
  }
  return Join(std::move(pipelines), options);
}

DistributedDataset SimulatedTpuStrategy::MakeInput(
    const DatasetFunction& function, const InputOptions& options) const {
  const DatasetFunction checked = [&](const InputContext& context) {
    const Dataset dataset = function(context);
    pod_internal::CheckNoGenerator(dataset);
    return dataset;
  };
  std::vector<DistributedDataset> pipelines;
  for (int host = 0; host < hosts(); ++host) {
    pipelines.push_back(lockstep::DistributeDatasetsFromFunction(
        TopologyOn(host), DevicesOn(host), function ? checked : function,
        options));
  }
  return Join(std::move(pipelines), options);
}

}  // namespace lockstep
