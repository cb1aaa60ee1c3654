#include "reference/collectives/mpi/mpi_testing.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdlib>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/collectives/mesh/replaceable_group_testing.h"
#include "reference/collectives/mpi/mpirun_testing.h"

namespace lockstep {
namespace {

std::unique_ptr<ControlPlane>& Job() {
  static auto* job =
      new std::unique_ptr<ControlPlane>(ConnectWorkersOfMpirun());
  return *job;
}

Deadline Soon() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(10);
}

// Counters that all processes of the job share. Each call returns the next one.
std::shared_ptr<std::atomic<int>> NextCounter() {
  constexpr size_t kBytes = 1 << 20;
  static int used = 0;
  static std::atomic<int>* const counters = [] {
    const std::string path = std::string(std::getenv("TEST_TMPDIR")) +
                             "/counters." +
                             std::string(std::getenv("PMIX_NAMESPACE"));
    const int file = open(path.c_str(), O_RDWR | O_CREAT, 0600);
    LOCKSTEP_CHECK(file >= 0 && ftruncate(file, kBytes) == 0);
    void* memory =
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    LOCKSTEP_CHECK(memory != MAP_FAILED);
    close(file);
    return static_cast<std::atomic<int>*>(memory);
  }();
  LOCKSTEP_CHECK((used + 1) * sizeof(std::atomic<int>) <= kBytes);
  return {counters + used++, [](std::atomic<int>*) {}};
}

// An error as its code's number and its text; empty without an error.
std::string Written(const std::exception_ptr& thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
    return "";
  } catch (const Error& error) {
    return std::to_string(static_cast<int>(error.code())) + " " + error.what();
  } catch (const std::exception& error) {
    return std::to_string(static_cast<int>(Code::kInternal)) + " " +
           error.what();
  }
}

std::exception_ptr Read(const std::string& written) {
  if (written.empty()) return nullptr;
  int code = 0;
  std::from_chars(written.data(), written.data() + written.size(), code);
  if (static_cast<Code>(code) == Code::kCancelled) {
    return std::make_exception_ptr(PeerFailure());
  }
  return std::make_exception_ptr(
      Error(static_cast<Code>(code), written.substr(written.find(' ') + 1)));
}

void ShareErrors(std::vector<std::exception_ptr>& errors) {
  ControlPlane& job = ControlPlaneOfJob();
  const int here = job.worker().value();
  const std::vector<std::string> all =
      job.Exchange("errors", Written(errors[here]), Soon());
  for (int rank = 0; rank < static_cast<int>(all.size()); ++rank) {
    if (rank != here) errors[rank] = Read(all[rank]);
  }
}

}  // namespace

ControlPlane& ControlPlaneOfJob() { return *Job(); }

void LeaveJob() {
  Job()->Leave();
  Job().reset();
}

std::unique_ptr<Ranks> MpiRanks::Make(const MpiOptions& options) {
  const int here = ControlPlaneOfJob().worker().value();
  auto group = std::make_shared<std::unique_ptr<Group>>();
  const auto connect = [group = group.get(), options] {
    group->reset();
    *group = MakeMpiGroup(ControlPlaneOfJob(), options);
  };
  connect();
  std::vector<std::unique_ptr<Group>> groups(ControlPlaneOfJob().num_workers());
  groups[here] = std::make_unique<ReplaceableGroup>(*group);
  const RankEnds ends = {
      .leave = [group = group.get()](int) { group->reset(); },
      .fail = [group = group.get()](int) { (*group)->Abort(); },
      .reset = connect,
      .share = ShareErrors};
  return std::make_unique<Ranks>(std::move(groups), ends, group, NextCounter());
}

}  // namespace lockstep
