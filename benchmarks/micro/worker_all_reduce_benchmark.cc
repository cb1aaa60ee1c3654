// How fast two workers, processes of one machine, bring their tensors together.
//
//   ./bazelw run //benchmarks/micro:worker_all_reduce_benchmark
//
// It starts the second process itself. The time is that of one all-reduce on
// worker 0, right after the one before, as the scripts in benchmarks/peers take
// it; algbw = bytes / median time, busbw = algbw * 2 (n - 1) / n.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/measurement/result_entry.h"
#include "benchmarks/micro/all_reduce_inputs.h"
#include "benchmarks/micro/benchmark_options.h"
#include "reference/base/error.h"
#include "reference/cluster/control/connect_control_plane.h"
#include "reference/collectives/gloo/gloo_group.h"
#include "reference/tensor/host_tensor.h"

extern char** environ;

namespace lockstep::benchmarks {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWorkers = 2;
constexpr std::string_view kChildFlag = "--second_worker_of=";

// As many as the peers do.
int64_t Repetitions(int64_t bytes) {
  return std::clamp<int64_t>((1 << 30) / bytes, 5, 500);
}

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

void Register(Group& group) {
  for (const int64_t bytes : {4 << 10, 1 << 20, 100 << 20}) {
    const std::string name = EntryName("AllReduce")
                                 .With("algorithm", "gloo")
                                 .With("bytes", bytes)
                                 .With("replicas", kWorkers)
                                 .With("device", "cpu")
                                 .str();
    benchmark::RegisterBenchmark(name.c_str(),
                                 [&group, bytes](benchmark::State& state) {
                                   AllReduce(state, group, bytes);
                                 })
        ->UseManualTime()
        ->Iterations(Repetitions(bytes))
        ->Unit(benchmark::kMicrosecond);
  }
}

// The same program with the same options, silent: it runs the same entries.
pid_t StartSecondWorker(const std::vector<std::string>& options, int port) {
  std::vector<std::string> words = {"/proc/self/exe"};
  words.insert(words.end(), options.begin(), options.end());
  std::erase_if(words, [](const std::string& word) {
    return word.starts_with("--benchmark_out=");
  });
  words.push_back(fmt::format("{}{}", kChildFlag, port));
  std::vector<char*> raw;
  for (std::string& word : words) raw.push_back(word.data());
  raw.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null",
                                   O_WRONLY, 0);
  pid_t process = 0;
  const int failed = posix_spawn(&process, words[0].c_str(), &actions, nullptr,
                                 raw.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    throw SystemError(failed, "[AllReduce] cannot start the second worker");
  }
  return process;
}

bool EndedWell(pid_t process) {
  int status = 0;
  return waitpid(process, &status, 0) == process && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

std::unique_ptr<ControlPlane> Connect(int worker,
                                      const ControlPlaneOptions& options) {
  return ConnectControlPlane(
      ClusterSpec({.num_workers = kWorkers, .worker = WorkerId(worker)}),
      options);
}

void RunEntries(ControlPlane& control) {
  {
    const auto group = MakeGlooGroup(control, {});
    Register(*group);
    AddMachineContext();
    benchmark::RunSpecifiedBenchmarks();
  }
  control.Leave();
}

void RunSecondWorker(int port) {
  ControlPlaneOptions options;
  options.chief = WorkerAddress{"127.0.0.1", port};
  RunEntries(*Connect(1, options));
}

// Gives the second worker.
pid_t RunFirstWorker(const std::vector<std::string>& words) {
  pid_t second = 0;
  ControlPlaneOptions options;
  options.chief = WorkerAddress{"127.0.0.1", 0};
  options.listening = [&](int port) {
    second = StartSecondWorker(words, port);
  };
  RunEntries(*Connect(0, options));
  return second;
}

int Run(int argc, char** argv) {
  const std::string_view last = argv[argc - 1];
  const bool is_second = last.starts_with(kChildFlag);
  if (is_second) --argc;
  if (!ReadBenchmarkOptions({}, argc, argv)) return 1;
  if (is_second) {
    int port = 0;
    std::from_chars(last.data() + kChildFlag.size(), last.data() + last.size(),
                    port);
    RunSecondWorker(port);
    return 0;
  }
  return EndedWell(RunFirstWorker({argv + 1, argv + argc})) ? 0 : 1;
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
