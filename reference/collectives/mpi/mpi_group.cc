#include "reference/collectives/mpi/mpi_group.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "reference/cluster/environment.h"
#include "reference/collectives/mesh/introduction.h"
#include "reference/collectives/mesh/mesh_group.h"
#include "reference/collectives/mpi/mpi_library.h"
#include "reference/collectives/mpi/mpi_mesh.h"
#include "reference/collectives/mpi/mpi_session.h"

namespace lockstep {
namespace {

using collectives_internal::Introduce;
using collectives_internal::Introduction;
using collectives_internal::MeshGroup;
using collectives_internal::MeshGroupOptions;
using collectives_internal::MpiLibrary;
using collectives_internal::MpiMembers;
using collectives_internal::MpiMesh;
using collectives_internal::MpiSession;

constexpr char kOperation[] = "MakeMpiGroup";

// How long workers may take, after the connect limit, to exchange whether MPI
// has been initialized.
constexpr std::chrono::seconds kExchangeTime(5);

// The launcher's name for the job, and this process's number in it. mpirun and
// Slurm set both; without them MPI would start a launcher.
struct Job {
  std::string name;
  std::string rank;
};

std::optional<Job> JobOf(const Environment& environment) {
  const auto name = environment.Find("PMIX_NAMESPACE");
  const auto rank = environment.Find("PMIX_RANK");
  if (!name || !rank) return std::nullopt;
  return Job{*name, *rank};
}

// The number of processes that the launcher started, if it is known.
std::optional<int> SizeOfJob(const Environment& environment) {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    if (const auto size = environment.Find(name)) return NumberIn(*size);
  }
  return std::nullopt;
}

// Checks that all workers are of one job, before any initializes MPI.
void CheckJob(ControlPlane& control, Deadline deadline) {
  Introduction mine = {.error = WhyNoMpi(control.num_workers())};
  if (!mine.error) {
    const Job job = JobOf(Environment::OfProcess()).value();
    mine.facts = {job.name, job.rank};
  }
  const auto all = Introduce(control, kOperation, mine, deadline);
  for (size_t w = 1; w < all.size(); ++w) {
    const bool taken =
        std::find(all.begin(), all.begin() + w, all[w]) != all.begin() + w;
    if (!taken && all[w][0] == all[0][0]) continue;
    throw FailedPrecondition(
        "[{}] one launcher must start all workers: worker 0 is process {} of "
        "job '{}', worker {} is {} of '{}'",
        kOperation, all[0][1], all[0][0], w, all[w][1], all[w][0]);
  }
}

// Parses a number that another worker has sent.
int NumberOf(const std::string& text) {
  const std::optional<int> number = NumberIn(text);
  if (!number) throw DataLoss("[{}] '{}' is no number", kOperation, text);
  return *number;
}

std::vector<int> Numbers(const std::vector<std::string>& facts) {
  std::vector<int> numbers;
  for (const std::string& fact : facts) numbers.push_back(NumberOf(fact));
  return numbers;
}

// Each worker's rank in MPI. All workers compute the same result.
MpiMembers MembersOf(const std::vector<std::vector<std::string>>& all) {
  MpiMembers members;
  for (const auto& facts : all) {
    const std::vector<int> numbers = Numbers(facts);
    const int rank = numbers[0], size = numbers[1];
    const bool taken = std::ranges::count(members.ranks, rank) > 0;
    if (size != static_cast<int>(all.size()) || taken) {
      throw FailedPrecondition(
          "[{}] the launcher must start the {} workers and nothing else: "
          "worker "
          "{} is rank {} of {}",
          kOperation, all.size(), members.ranks.size(), rank, size);
    }
    members.ranks.push_back(rank);
    members.first_tag = std::max(members.first_tag, numbers[2]);
  }
  return members;
}

MpiMembers BeginTogether(ControlPlane& control, Deadline deadline) {
  CheckJob(control, deadline);
  MpiSession& session = MpiSession::OfProcess();
  Introduction mine;
  try {
    session.Begin(deadline, control);
    mine.facts = {fmt::format("{}", session.rank()),
                  fmt::format("{}", session.size()),
                  fmt::format("{}", session.free_tag())};
  } catch (const Error& error) {
    control.Check();
    mine.error = error;
  }
  MpiMembers members =
      MembersOf(Introduce(control, kOperation, mine, deadline + kExchangeTime));
  session.UseTagsBelow(members.first_tag + collectives_internal::kMpiMeshTags);
  members.worker = control.worker().value();
  return members;
}

}  // namespace

std::optional<Error> WhyNoMpi(int num_workers) {
  const Environment environment = Environment::OfProcess();
  if (!JobOf(environment)) {
    return FailedPrecondition(
        "[{}] mpirun, or srun --mpi=pmix, must start the program: there is no "
        "PMIX_NAMESPACE and PMIX_RANK",
        kOperation);
  }
  const int started = SizeOfJob(environment).value_or(num_workers);
  if (started != num_workers) {
    return FailedPrecondition(
        "[{}] the launcher must start the {} workers and nothing else, it "
        "started {} processes",
        kOperation, num_workers, started);
  }
  try {
    MpiLibrary::OfMachine();
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  }
}

std::unique_ptr<Group> MakeMpiGroup(ControlPlane& control,
                                    const MpiOptions& options) {
  MpiMembers members = BeginTogether(
      control, std::chrono::steady_clock::now() + options.connect_limit);
  return std::make_unique<MeshGroup>(
      std::make_unique<MpiMesh>(MpiSession::OfProcess(), std::move(members),
                                control),
      MeshGroupOptions{.stall_limit = options.stall_limit,
                       .leave_limit = options.leave_limit});
}

}  // namespace lockstep
