#include "reference/cluster/launcher_cluster_resolvers.h"

#include <string>
#include <utility>

#include "reference/base/error.h"

namespace lockstep {
namespace {

// The names of a launcher's variables.
struct Names {
  const char *rank, *size, *local_rank, *local_size;
};

ClusterFacts ReadNumbers(const VariableReader& read, const Names& names) {
  ClusterFacts facts;
  read.Text(names.rank);
  facts.num_workers = read.Number(names.size, 1, kMostWorkers);
  facts.worker =
      WorkerId(read.Index(names.rank, names.size, facts.num_workers));
  facts.local_size = read.FindNumber(names.local_size, 1, facts.num_workers);
  const int local = facts.local_size.value_or(facts.num_workers);
  facts.local_rank = read.FindNumber(names.local_rank, 0, local - 1);
  ReadMaster(read, facts);
  return facts;
}

}  // namespace

void ReadMaster(const VariableReader& read, ClusterFacts& facts) {
  facts.master_host = read.Find("MASTER_ADDR");
  if (facts.master_host && !IsHost(*facts.master_host)) {
    throw InvalidArgument(
        "[{}] MASTER_ADDR must be a host's name or address, got {}",
        read.operation(), Quote(*facts.master_host));
  }
  facts.master_port = read.FindNumber("MASTER_PORT", 1, kLastPort);
}

ClusterSpec TorchrunClusterResolver::Resolve() const {
  const VariableReader read("TorchrunClusterResolver", environment_);
  ClusterFacts facts = ReadNumbers(
      read, {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"});
  facts.origin = name();
  facts.is_master_port_taken =
      read.Find("TORCHELASTIC_USE_AGENT_STORE") == "True";
  if (const auto run = read.Find("TORCHELASTIC_RUN_ID")) {
    const auto restart = read.Find("TORCHELASTIC_RESTART_COUNT");
    facts.run_id = *run + "." + restart.value_or("0");
  }
  return ClusterSpec(std::move(facts));
}

ClusterSpec OpenMpiClusterResolver::Resolve() const {
  const VariableReader read("OpenMpiClusterResolver", environment_);
  ClusterFacts facts = ReadNumbers(
      read, {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
             "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"});
  facts.origin = name();
  facts.run_id = read.Find("PMIX_NAMESPACE").value_or("");
  return ClusterSpec(std::move(facts));
}

}  // namespace lockstep
