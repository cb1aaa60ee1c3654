// How fast two workers, processes of one machine, bring their tensors together.
//
//   ./bazelw run //benchmarks/micro:worker_all_reduce_benchmark
//
// It starts the second process itself. The time is that of one all-reduce on
// worker 0, right after the one before, as the scripts in benchmarks/peers take
// it; algbw = bytes / median time, busbw = algbw * 2 (n - 1) / n.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/measurement/result_entry.h"
#include "benchmarks/micro/all_reduce_inputs.h"
#include "benchmarks/micro/benchmark_options.h"
#include "benchmarks/process/child_process.h"
#include "benchmarks/process/worker_process.h"
#include "reference/base/error.h"
#include "reference/cluster/control/connect_control_plane.h"
#include "reference/collectives/gloo/gloo_group.h"
#include "reference/tensor/host_tensor.h"

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

// The same options, for the same entries.
std::vector<std::string> WordsOfSecondWorker(std::vector<std::string> words,
                                             int port) {
  std::erase_if(words, [](const std::string& word) {
    return word.starts_with("--benchmark_out=");
  });
  words.push_back(fmt::format("{}{}", kChildFlag, port));
  return words;
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
  EndWithStarter();
  ControlPlaneOptions options;
  options.chief = WorkerAddress{"127.0.0.1", port};
  RunEntries(*Connect(1, options));
}

void RunFirstWorker(const std::vector<std::string>& words) {
  std::optional<WorkerProcess> second;
  ControlPlaneOptions options;
  options.chief = WorkerAddress{"127.0.0.1", 0};
  options.listening = [&](int port) {
    second.emplace(1, WordsOfSecondWorker(words, port));
  };
  RunEntries(*Connect(0, options));
  second->Join();
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
  RunFirstWorker({argv, argv + argc});
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
