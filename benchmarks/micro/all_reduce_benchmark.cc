// The speed of all-reduces between replicas of one process, compared with the
// machine's speed of copying memory.
//
//   ./bazelw run //benchmarks/micro:all_reduce_benchmark
//
// AllReduce: `replicas` threads sum their tensors of `bytes` bytes, as inside
// Strategy::Run; the time is that of one all-reduce from the moment all have
// come to the moment all may go on. algbw = bytes / time and
// busbw = algbw * 2 (n - 1) / n, as nccl-tests defines them.
//
// Copy: the same number of threads copy `bytes` bytes together, each its part,
// past the caches or with memcpy; moved_bytes_per_second counts each byte read
// and each written. An all-reduce over n replicas reads and writes n times
// `bytes`, so the copy of n threads does too: caches help both equally, and the
// ratio of their moved_bytes_per_second is the algorithm's efficiency.
//
// p50_us is the median round; cpu_p50_us the median of the busiest thread's
// CPU time, which other programs on the machine disturb least.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "benchmarks/measurement/cpu_time.h"
#include "benchmarks/measurement/result_entry.h"
#include "benchmarks/micro/all_reduce_inputs.h"
#include "benchmarks/micro/benchmark_options.h"
#include "reference/collectives/cross_device_ops.h"
#include "reference/collectives/in_process_group.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::benchmarks {
namespace {

using Clock = std::chrono::steady_clock;

double UpperMedian(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0.0 : values[values.size() / 2];
}

// When one thread began and ended its part of a round.
struct alignas(64) Part {
  Clock::time_point begin, end;
  double cpu_seconds;
};

// Runs body(thread) on every thread in each iteration; its time is that from
// when the last one begins to when the last one ends.
void RunRounds(int threads, benchmark::State& state,
               const std::function<void(int)>& body) {
  std::barrier barrier(threads + 1);
  bool stop = false;
  std::vector<std::thread> workers;
  std::vector<Part> parts(threads);
  for (int thread = 0; thread < threads; ++thread) {
    workers.emplace_back([&, thread] {
      Part& part = parts[thread];
      while (true) {
        barrier.arrive_and_wait();
        if (stop) return;
        const double cpu_before = ThreadCpuSeconds();
        part.begin = Clock::now();
        body(thread);
        part.end = Clock::now();
        part.cpu_seconds = ThreadCpuSeconds() - cpu_before;
        barrier.arrive_and_wait();
      }
    });
  }
  const auto run_round = [&] {
    barrier.arrive_and_wait();
    barrier.arrive_and_wait();
  };
  run_round();  // the first one takes its memory from the system
  std::vector<double> seconds, cpu_seconds;
  for (auto _ : state) {
    run_round();
    const auto begin = std::ranges::max(parts, {}, &Part::begin).begin;
    const auto end = std::ranges::max(parts, {}, &Part::end).end;
    seconds.push_back(std::chrono::duration<double>(end - begin).count());
    cpu_seconds.push_back(
        std::ranges::max(parts, {}, &Part::cpu_seconds).cpu_seconds);
    state.SetIterationTime(seconds.back());
  }
  stop = true;
  barrier.arrive_and_wait();
  for (std::thread& worker : workers) worker.join();
  state.counters["p50_us"] = UpperMedian(seconds) * 1e6;
  state.counters["cpu_p50_us"] = UpperMedian(cpu_seconds) * 1e6;
}

void SetRates(benchmark::State& state, double bytes, int replicas,
              double moved_bytes) {
  using benchmark::Counter;
  const auto rate = Counter::kIsIterationInvariantRate;
  state.counters["algbw"] = Counter(bytes, rate);
  state.counters["busbw"] =
      Counter(bytes * 2 * (replicas - 1) / replicas, rate);
  state.counters["moved_bytes_per_second"] = Counter(moved_bytes, rate);
}

// The tensors of a gradient of the documents' convolutional network (float32
// counts), the list that training reduces in every step.
constexpr int64_t kGradientCounts[] = {288, 32, 18432, 64, 102400, 64, 640, 10};

using OpsPtr = std::shared_ptr<const CrossDeviceOps>;

void AllReduce(benchmark::State& state, const OpsPtr& ops,
               const std::vector<int64_t>& counts, int replicas) {
  SetLogicalCpuDevices(replicas);
  const auto groups = MakeGroups(ListLogicalDevices(), ops,
                                 std::make_shared<Rendezvous>(replicas));
  std::vector<std::vector<Tensor>> inputs, outputs(replicas);
  int64_t bytes = 0;
  for (int64_t count : counts) bytes += count * sizeof(float);
  for (int r = 0; r < replicas; ++r) {
    inputs.push_back(MakeInputs(counts, r, *ListLogicalDevices()[r]));
  }
  RunRounds(replicas, state, [&](int r) {
    DeviceScope device(*ListLogicalDevices()[r]);
    outputs[r] = {};  // gives the memory back to the pool
    outputs[r] = groups[r]->AllReduce(ReduceOp::kSum, inputs[r], {}).Wait();
  });
  for (const std::vector<Tensor>& sums : outputs) {
    if (!IsRight(sums, replicas)) state.SkipWithError("wrong sums");
  }
  const auto total = static_cast<double>(bytes);
  SetRates(state, total, replicas, 2.0 * replicas * total);
}

void Copy(benchmark::State& state, int64_t bytes, int threads) {
  const SharedMemoryAllReduce ops;
  const std::vector<Tensor> from =
      MakeInputs({bytes / 4}, 0, Device::Current());
  std::vector<Tensor> to =
      collectives_internal::EmptyLike(from, Device::Current());
  const Reduction copy(ReduceOp::kSum, {&from}, {&to});
  RunRounds(threads, state, [&](int thread) {
    copy.Sum({{.input = true, .rank = 0}}, {0}, 1, thread, threads);
  });
  if (!BitwiseEqual(from[0], to[0])) state.SkipWithError("wrong copy");
  state.counters["moved_bytes_per_second"] =
      benchmark::Counter(2.0 * static_cast<double>(bytes),
                         benchmark::Counter::kIsIterationInvariantRate);
}

void MemCpy(benchmark::State& state, int64_t bytes, int threads) {
  const Tensor from = MakeInputs({bytes / 4}, 0, Device::Current())[0];
  Tensor to = ZerosOnHost(from.shape());
  RunRounds(threads, state, [&](int thread) {
    const int64_t begin = bytes * thread / threads;
    const int64_t end = bytes * (thread + 1) / threads;
    std::memcpy(static_cast<std::byte*>(to.mutable_raw_data()) + begin,
                static_cast<const std::byte*>(from.raw_data()) + begin,
                end - begin);
  });
  if (!BitwiseEqual(from, to)) state.SkipWithError("wrong copy");
  state.counters["moved_bytes_per_second"] =
      benchmark::Counter(2.0 * static_cast<double>(bytes),
                         benchmark::Counter::kIsIterationInvariantRate);
}

void Register(const std::string& name,
              const std::function<void(benchmark::State&)>& body) {
  benchmark::RegisterBenchmark(name.c_str(), body)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

void RegisterAll() {
  const OpsPtr shared_memory = std::make_shared<SharedMemoryAllReduce>();
  const std::pair<const char*, OpsPtr> algorithms[] = {
      {"shared_memory", shared_memory},
      {"hierarchical_copy", std::make_shared<HierarchicalCopyAllReduce>()},
      {"reduction_to_one_device", std::make_shared<ReductionToOneDevice>()}};
  for (int threads : {1, 2}) {
    for (const char* how : {"stream", "memcpy"}) {
      const int64_t bytes = threads * (100LL << 20);
      const std::string name = EntryName("Copy")
                                   .With("algorithm", how)
                                   .With("bytes", bytes)
                                   .With("threads", threads)
                                   .str();
      const auto function = how[0] == 's' ? Copy : MemCpy;
      Register(name, [=](benchmark::State& state) {
        function(state, bytes, threads);
      });
    }
  }
  for (const auto& [label, ops] : algorithms) {
    for (int replicas : {2, 4}) {
      for (int64_t bytes : {4 << 10, 1 << 20, 100 << 20}) {
        const std::string name = EntryName("AllReduce")
                                     .With("algorithm", label)
                                     .With("bytes", bytes)
                                     .With("replicas", replicas)
                                     .With("device", "cpu")
                                     .str();
        Register(name, [=, ops = ops](benchmark::State& state) {
          AllReduce(state, ops, {bytes / 4}, replicas);
        });
      }
    }
  }
  const std::vector<int64_t> gradient(std::begin(kGradientCounts),
                                      std::end(kGradientCounts));
  Register(
      "AllReduce/algorithm:shared_memory/list:gradient/replicas:2/"
      "device:cpu",
      [=](benchmark::State& state) {
        AllReduce(state, shared_memory, gradient, 2);
      });
}

}  // namespace
}  // namespace lockstep::benchmarks

int main(int argc, char** argv) {
  using namespace lockstep::benchmarks;
  return RunBenchmarks(argc, argv, RegisterAll);
}
