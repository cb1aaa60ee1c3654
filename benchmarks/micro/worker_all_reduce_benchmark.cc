// The speed of all-reduces between workers, processes of one machine.
//
//   ./bazelw run //benchmarks/micro:worker_all_reduce_benchmark
//   ... -- --workers=4                  # four with a replica each
//   ... -- --workers=2 --replicas=2     # as many replicas, by HierarchicalGroups
//
// It starts itself by mpirun, so that both ways between processes are there.
// The time is that of one all-reduce on the first replica, right after the one
// before, as the scripts in benchmarks/peers take it; algbw = bytes / median
// time, busbw = algbw * 2 (n - 1) / n for n replicas in all.
#include <benchmark/benchmark.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <future>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/measurement/result_entry.h"
#include "benchmarks/micro/all_reduce_inputs.h"
#include "benchmarks/micro/benchmark_options.h"
#include "reference/base/error.h"
#include "reference/cluster/control/connect_control_plane.h"
#include "reference/cluster/free_port.h"
#include "reference/cluster/launcher_cluster_resolvers.h"
#include "reference/cluster/topology.h"
#include "reference/collectives/gloo/gloo_group.h"
#include "reference/collectives/hierarchical/hierarchical_group.h"
#include "reference/collectives/mpi/mpi_group.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::benchmarks {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kPortFlag = "--chief_port=";
constexpr std::string_view kWorkersFlag = "--workers=";
constexpr std::string_view kReplicasFlag = "--replicas=";

struct Size {
  int workers = 2;
  int replicas = 1;  // of each

  int all() const { return workers * replicas; }
};

// As many as the peers do.
int64_t Repetitions(int64_t bytes) {
  return std::clamp<int64_t>((1 << 30) / bytes, 5, 500);
}

// Of the replicas that are here.
using GroupList = std::vector<std::shared_ptr<Group>>;

GroupList GroupsHere(const ControlPlane& control,
                     const std::shared_ptr<Group>& between, const Size& size) {
  if (size.replicas == 1) return {between};
  const Topology topology(std::vector<int>(size.workers, size.replicas),
                          WorkerId(control.worker()));
  auto made = MakeHierarchicalGroups(
      topology, std::make_shared<Rendezvous>(size.replicas),
      std::make_shared<WorkerGroup>(between));
  return {std::make_move_iterator(made.begin()),
          std::make_move_iterator(made.end())};
}

// Made on first use by an entry: all workers run the same entries.
class Groups {
 public:
  Groups(ControlPlane& control, const Size& size)
      : control_(control), size_(size) {}

  const GroupList& Gloo() {
    if (gloo_.empty()) {
      gloo_ = GroupsHere(control_, MakeGlooGroup(control_, {}), size_);
    }
    return gloo_;
  }
  const GroupList& Mpi() {
    if (mpi_.empty()) {
      mpi_ = GroupsHere(control_, MakeMpiGroup(control_, {}), size_);
    }
    return mpi_;
  }

 private:
  ControlPlane& control_;
  const Size size_;
  GroupList gloo_;
  GroupList mpi_;
};

constexpr int kWarmups = 3;

// One replica's calls, a second of each but the first's kept. Errors: those of
// the group.
std::vector<double> ReduceAgainAndAgain(Group& group, int replica,
                                        int64_t bytes, int64_t times) {
  DeviceScope device(*ListLogicalDevices()[replica]);
  const TensorList inputs =
      MakeInputs({bytes / 4}, group.rank(), Device::Current());
  TensorList sums;
  std::vector<double> seconds;
  for (int64_t i = 0; i < kWarmups + times; ++i) {
    sums = {};  // gives the memory back to the pool
    const auto begin = Clock::now();
    sums = group.AllReduce(ReduceOp::kSum, inputs, {}).Wait();
    seconds.push_back(
        std::chrono::duration<double>(Clock::now() - begin).count());
  }
  if (!IsRight(sums, group.size())) throw Internal("[AllReduce] wrong sums");
  return {seconds.begin() + kWarmups, seconds.end()};
}

void AllReduce(benchmark::State& state, const GroupList& groups,
               int64_t bytes) {
  std::vector<std::future<std::vector<double>>> replicas;
  for (int replica = 0; replica < std::ssize(groups); ++replica) {
    replicas.push_back(std::async(std::launch::async, ReduceAgainAndAgain,
                                  std::ref(*groups[replica]), replica, bytes,
                                  static_cast<int64_t>(state.max_iterations)));
  }
  std::vector<double> seconds;
  try {
    for (size_t r = 1; r < replicas.size(); ++r) replicas[r].get();
    seconds = replicas[0].get();
  } catch (const Error& error) {
    return state.SkipWithError(error.what());
  }
  size_t i = 0;
  for (auto _ : state) state.SetIterationTime(seconds[i++]);
  const double bandwidth = static_cast<double>(bytes) / Median(seconds);
  const int size = groups[0]->size();
  state.counters["p50_us"] = Median(seconds) * 1e6;
  state.counters["algbw"] = bandwidth;
  state.counters["busbw"] = bandwidth * 2 * (size - 1) / size;
}

void Register(const std::string& algorithm, int64_t bytes, const Size& size,
              const std::function<const GroupList&()>& groups) {
  const std::string name = EntryName("AllReduce")
                               .With("algorithm", algorithm)
                               .With("bytes", bytes)
                               .With("replicas", size.all())
                               .With("device", "cpu")
                               .str();
  benchmark::RegisterBenchmark(name.c_str(),
                               [groups, bytes](benchmark::State& state) {
                                 AllReduce(state, groups(), bytes);
                               })
      ->UseManualTime()
      ->Iterations(Repetitions(bytes))
      ->Unit(benchmark::kMicrosecond);
}

// This process becomes mpirun.
[[noreturn]] void StartWorkers(int workers,
                               const std::vector<std::string>& options) {
  std::vector<std::string> words = {
      "env",
      "OMPI_ALLOW_RUN_AS_ROOT=1",
      "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
      "mpirun",
      "--oversubscribe",
      "--bind-to",
      "none",
      "-np",
      fmt::format("{}", workers),
      std::filesystem::read_symlink("/proc/self/exe")};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back(fmt::format("{}{}", kPortFlag, FreePort()));
  std::vector<char*> raw;
  for (std::string& word : words) raw.push_back(word.data());
  raw.push_back(nullptr);
  execvp(raw[0], raw.data());
  throw SystemError(errno, "[AllReduce] cannot start mpirun");
}

void RunWorker(int port, const Size& size) {
  SetLogicalCpuDevices(size.replicas);
  ControlPlaneOptions options;
  options.chief = WorkerAddress{"127.0.0.1", port};
  const auto control =
      ConnectControlPlane(OpenMpiClusterResolver().Resolve(), options);
  {
    Groups groups(*control, size);
    for (const int64_t bytes : {4 << 10, 1 << 20, 100 << 20}) {
      Register("gloo", bytes, size,
               [&]() -> const GroupList& { return groups.Gloo(); });
      Register("mpi", bytes, size,
               [&]() -> const GroupList& { return groups.Mpi(); });
    }
    AddMachineContext();
    benchmark::RunSpecifiedBenchmarks();
  }
  control->Leave();
}

// Of two workers one tells.
void BeSilent(std::vector<char*>& words) {
  std::erase_if(words, [](const char* word) {
    return std::string_view(word).starts_with("--benchmark_out=");
  });
  if (std::freopen("/dev/null", "w", stdout) == nullptr) {
    throw SystemError(errno, "[AllReduce] /dev/null");
  }
}

// The number after `flag`, which is removed from the words; nullopt without it.
std::optional<int> TakeNumber(std::string_view flag,
                              std::vector<char*>& words) {
  const auto is_flag = [&](const char* word) {
    return std::string_view(word).starts_with(flag);
  };
  const auto found = std::ranges::find_if(words, is_flag);
  if (found == words.end()) return std::nullopt;
  const std::string_view text = std::string_view(*found).substr(flag.size());
  words.erase(found);
  int number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1) {
    throw InvalidArgument("[AllReduce] wanted {}1 or more, got '{}'", flag,
                          text);
  }
  return number;
}

int Run(int argc, char** argv) {
  std::vector<char*> words(argv, argv + argc);
  Size size;
  size.workers = TakeNumber(kWorkersFlag, words).value_or(size.workers);
  size.replicas = TakeNumber(kReplicasFlag, words).value_or(size.replicas);
  const std::optional<int> port = TakeNumber(kPortFlag, words);
  if (port && std::getenv("OMPI_COMM_WORLD_RANK") != std::string_view("0")) {
    BeSilent(words);
  }
  if (!ReadBenchmarkOptions({}, std::ssize(words), words.data())) return 1;
  if (!port) StartWorkers(size.workers, {argv + 1, argv + argc});
  RunWorker(*port, size);
  return 0;
}

}  // namespace
}  // namespace lockstep::benchmarks

int main(int argc, char** argv) {
  try {
    return lockstep::benchmarks::Run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
