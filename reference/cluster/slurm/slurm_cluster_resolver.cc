#include "reference/cluster/slurm/slurm_cluster_resolver.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/cluster/launcher_cluster_resolvers.h"
#include "reference/cluster/slurm/slurm_lists.h"

namespace lockstep {
namespace {

void CheckStep(const VariableReader& read) {
  if (read.Has("SLURM_STEP_ID")) return;
  throw FailedPrecondition(
      "[{}] SLURM_STEP_ID must be set, got an environment without it: start "
      "the program by srun, also from a batch script",
      read.operation());
}

// Where a task runs.
struct Place {
  int node = 0;
  int local = 0;  // its number among the node's tasks
};

// Node by node.
std::vector<Place> DealBlocks(const std::vector<int>& tasks) {
  std::vector<Place> places;
  for (int node = 0; node < static_cast<int>(tasks.size()); ++node) {
    for (int local = 0; local < tasks[node]; ++local) {
      places.push_back({node, local});
    }
  }
  return places;
}

// One task to each node that takes more, in turn.
std::vector<Place> DealInTurn(const std::vector<int>& tasks) {
  std::vector<Place> places = DealBlocks(tasks);
  std::stable_sort(
      places.begin(), places.end(),
      [](const Place& a, const Place& b) { return a.local < b.local; });
  return places;
}

// SLURM_DISTRIBUTION says how tasks are distributed over nodes and, after a
// colon or comma, over sockets. Sockets do not matter here.
std::vector<Place> Deal(const VariableReader& read,
                        const std::vector<int>& tasks) {
  const std::string all = read.Find("SLURM_DISTRIBUTION").value_or("block");
  const std::string order = all.substr(0, all.find_first_of(":,"));
  if (order == "block") return DealBlocks(tasks);
  if (order == "cyclic") return DealInTurn(tasks);
  throw Unimplemented("[{}] SLURM_DISTRIBUTION must be block or cyclic, got {}",
                      read.operation(), Quote(all));
}

// The variables that describe the nodes of the step or the job.
struct ListNames {
  const char *hosts, *tasks;
};

ListNames NamesOfLists(const VariableReader& read) {
  if (read.Has("SLURM_STEP_NODELIST")) {
    return {"SLURM_STEP_NODELIST", "SLURM_STEP_TASKS_PER_NODE"};
  }
  return {"SLURM_JOB_NODELIST", "SLURM_TASKS_PER_NODE"};
}

struct Nodes {
  std::vector<std::string> hosts;
  std::vector<int> tasks;  // on each
};

void CheckNodes(const VariableReader& read, const ListNames& names,
                const Nodes& nodes, int num_tasks) {
  if (nodes.hosts.size() != nodes.tasks.size()) {
    throw InvalidArgument(
        "[{}] {} and {} must be of the same nodes, got {} and {} of them",
        read.operation(), names.hosts, names.tasks, nodes.hosts.size(),
        nodes.tasks.size());
  }
  int64_t sum = 0;
  for (const int count : nodes.tasks) sum += count;
  if (sum != num_tasks) {
    throw InvalidArgument("[{}] {} must be of all {} tasks, got {} of them",
                          read.operation(), names.tasks, num_tasks, sum);
  }
}

Nodes ReadNodes(const VariableReader& read, int num_tasks) {
  const ListNames names = NamesOfLists(read);
  Nodes nodes{ExpandHostList(read.Text(names.hosts)),
              ExpandTasksPerNode(read.Text(names.tasks))};
  CheckNodes(read, names, nodes, num_tasks);
  return nodes;
}

// Compares this task's place, as computed from the lists, with the one that
// Slurm reports. If they differ, any address may be wrong.
void CheckPlace(const VariableReader& read, const Place& place) {
  const int most = kMostWorkers - 1;
  const int node =
      read.FindNumber("SLURM_NODEID", 0, most).value_or(place.node);
  const int local =
      read.FindNumber("SLURM_LOCALID", 0, most).value_or(place.local);
  if (node != place.node || local != place.local) {
    throw InvalidArgument(
        "[{}] SLURM_NODEID and SLURM_LOCALID must be {} and {} by the list of "
        "tasks per node, got {} and {}",
        read.operation(), place.node, place.local, node, local);
  }
}

int ReadNumTasks(const VariableReader& read) {
  if (const auto tasks =
          read.FindNumber("SLURM_STEP_NUM_TASKS", 1, kMostWorkers)) {
    return *tasks;
  }
  return read.Number("SLURM_NTASKS", 1, kMostWorkers);
}

std::string RunId(const VariableReader& read) {
  const std::string restart = read.Find("SLURM_RESTART_COUNT").value_or("0");
  return fmt::format("{}.{}.{}", read.Text("SLURM_JOB_ID"),
                     read.Text("SLURM_STEP_ID"), restart);
}

}  // namespace

ClusterSpec SlurmClusterResolver::Resolve() const {
  const VariableReader read("SlurmClusterResolver", environment_);
  CheckStep(read);
  ClusterFacts facts{.origin = std::string(name())};
  facts.num_workers = ReadNumTasks(read);
  const int rank =
      read.Index("SLURM_PROCID", "the number of tasks", facts.num_workers);
  const Nodes nodes = ReadNodes(read, facts.num_workers);
  const std::vector<Place> places = Deal(read, nodes.tasks);
  CheckPlace(read, places[rank]);
  for (const Place& place : places) {
    facts.addresses.push_back(
        {nodes.hosts[place.node], first_port_ + place.local});
  }
  facts.worker = WorkerId(rank);
  facts.local_rank = places[rank].local;
  facts.local_size = nodes.tasks[places[rank].node];
  facts.run_id = RunId(read);
  ReadMaster(read, facts);
  return ClusterSpec(std::move(facts));
}

}  // namespace lockstep
