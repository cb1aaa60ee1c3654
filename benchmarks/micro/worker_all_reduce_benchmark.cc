// How fast two workers, processes of one machine, bring their tensors together.
//
//   ./bazelw run //benchmarks/micro:worker_all_reduce_benchmark
//
// It starts itself twice by mpirun, so that both ways between processes are
// there. The time is that of one all-reduce on worker 0, right after the one
// before, as the scripts in benchmarks/peers take it; algbw = bytes / median
// time, busbw = algbw * 2 (n - 1) / n.
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
#include <memory>
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
#include "reference/collectives/gloo/gloo_group.h"
#include "reference/collectives/mpi/mpi_group.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::benchmarks {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWorkers = 2;
constexpr std::string_view kPortFlag = "--chief_port=";

// As many as the peers do.
int64_t Repetitions(int64_t bytes) {
  return std::clamp<int64_t>((1 << 30) / bytes, 5, 500);
}

// The group between the workers, made where an entry asks for it first: both
// run the same ones.
class Groups {
 public:
  explicit Groups(ControlPlane& control) : control_(control) {}

  Group& Gloo() {
    if (!gloo_) gloo_ = MakeGlooGroup(control_, {});
    return *gloo_;
  }
  Group& Mpi() {
    if (!mpi_) mpi_ = MakeMpiGroup(control_, {});
    return *mpi_;
  }

 private:
  ControlPlane& control_;
  std::unique_ptr<Group> gloo_;
  std::unique_ptr<Group> mpi_;
};

void AllReduce(benchmark::State& state, Group& group, int64_t bytes) {
  const TensorList inputs =
      MakeInputs({bytes / 4}, group.rank(), Device::Current());
  TensorList sums;
  const auto reduce = [&] {
    sums = {};  // gives the memory back to the pool
    sums = group.AllReduce(ReduceOp::kSum, inputs, {}).Wait();
  };
  std::vector<double> seconds;
  try {
    for (int warmup = 0; warmup < 3; ++warmup) reduce();
    for (auto _ : state) {
      const auto begin = Clock::now();
      reduce();
      seconds.push_back(
          std::chrono::duration<double>(Clock::now() - begin).count());
      state.SetIterationTime(seconds.back());
    }
  } catch (const Error& error) {
    return state.SkipWithError(error.what());
  }
  if (!IsRight(sums, kWorkers)) return state.SkipWithError("wrong sums");
  const double bandwidth = static_cast<double>(bytes) / Median(seconds);
  state.counters["p50_us"] = Median(seconds) * 1e6;
  state.counters["algbw"] = bandwidth;
  state.counters["busbw"] = bandwidth * 2 * (kWorkers - 1) / kWorkers;
}

void Register(const std::string& algorithm, int64_t bytes,
              const std::function<Group&()>& group) {
  const std::string name = EntryName("AllReduce")
                               .With("algorithm", algorithm)
                               .With("bytes", bytes)
                               .With("replicas", kWorkers)
                               .With("device", "cpu")
                               .str();
  benchmark::RegisterBenchmark(name.c_str(),
                               [group, bytes](benchmark::State& state) {
                                 AllReduce(state, group(), bytes);
                               })
      ->UseManualTime()
      ->Iterations(Repetitions(bytes))
      ->Unit(benchmark::kMicrosecond);
}

// This process becomes mpirun.
[[noreturn]] void StartWorkers(const std::vector<std::string>& options) {
  std::vector<std::string> words = {
      "env",
      "OMPI_ALLOW_RUN_AS_ROOT=1",
      "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
      "mpirun",
      "--oversubscribe",
      "--bind-to",
      "none",
      "-np",
      fmt::format("{}", kWorkers),
      std::filesystem::read_symlink("/proc/self/exe")};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back(fmt::format("{}{}", kPortFlag, FreePort()));
  std::vector<char*> raw;
  for (std::string& word : words) raw.push_back(word.data());
  raw.push_back(nullptr);
  execvp(raw[0], raw.data());
  throw SystemError(errno, "[AllReduce] cannot start mpirun");
}

void RunWorker(int port) {
  ControlPlaneOptions options;
  options.chief = WorkerAddress{"127.0.0.1", port};
  const auto control =
      ConnectControlPlane(OpenMpiClusterResolver().Resolve(), options);
  {
    Groups groups(*control);
    for (const int64_t bytes : {4 << 10, 1 << 20, 100 << 20}) {
      Register("gloo", bytes, [&]() -> Group& { return groups.Gloo(); });
      Register("mpi", bytes, [&]() -> Group& { return groups.Mpi(); });
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

int Run(int argc, char** argv) {
  std::vector<char*> words(argv, argv + argc);
  const std::string_view last = words.back();
  const bool is_worker = last.starts_with(kPortFlag);
  if (is_worker) {
    words.pop_back();
    if (std::getenv("OMPI_COMM_WORLD_RANK") != std::string_view("0")) {
      BeSilent(words);
    }
  }
  if (!ReadBenchmarkOptions({}, std::ssize(words), words.data())) return 1;
  if (!is_worker) StartWorkers({argv + 1, argv + argc});
  int port = 0;
  std::from_chars(last.data() + kPortFlag.size(), last.data() + last.size(),
                  port);
  RunWorker(port);
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
