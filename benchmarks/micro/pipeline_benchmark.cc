// Compares the variants of a pipeline that the documents recommend and advise
// against.
//
//   ./bazelw run //benchmarks/micro:pipeline_benchmark
//
// Cache: a second epoch from the cache, or computed again. Prefetch: batches
// that are made while the last one is in use, or after it. ParallelMap: calls
// of a function that waits, one at a time or 4. Distribute: a dataset whose
// batches are divided, or one of a function that batches for its replica.
// ShuffleRecords: records that are shuffled as they are, or once they were
// parsed into floats. items_per_second counts examples; all must arrive, once.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "benchmarks/measurement/result_entry.h"
#include "benchmarks/micro/benchmark_options.h"
#include "reference/data/dataset.h"
#include "reference/device/device.h"
#include "reference/distribute/input/distributed_dataset.h"

namespace lockstep::benchmarks {
namespace {

constexpr int64_t kPixels = 784;

int64_t SumTo(int64_t count) { return count * (count - 1) / 2; }

// The cost of making an example, or of using a batch.
void Work(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

Dataset Made(const Dataset& numbers) {
  return numbers.Map([](const Structure& number) {
    Work(std::chrono::microseconds(5));
    return number;
  });
}

int64_t SumOf(const Structure& numbers) {
  int64_t sum = 0;
  for (const int64_t x : numbers.leaf().span<int64_t>()) sum += x;
  return sum;
}

void Cache(benchmark::State& state, bool cached) {
  constexpr int64_t kExamples = 2000;
  Dataset made = Made(Dataset::Range(kExamples));
  if (cached) made = made.Cache();
  const Dataset batches = made.Batch(100);
  for (Structure batch : batches) benchmark::DoNotOptimize(batch);
  for (auto unused : state) {
    int64_t sum = 0;
    for (const Structure& batch : batches) sum += SumOf(batch);
    if (sum != SumTo(kExamples)) state.SkipWithError("rows are wrong");
  }
  state.SetItemsProcessed(state.iterations() * kExamples);
}

void Prefetch(benchmark::State& state, bool ahead) {
  constexpr int64_t kExamples = 2000;
  Dataset batches = Made(Dataset::Range(kExamples)).Batch(100);
  if (ahead) batches = batches.Prefetch(2);
  for (auto unused : state) {
    int64_t sum = 0;
    for (const Structure& batch : batches) {
      sum += SumOf(batch);
      Work(std::chrono::microseconds(500));
    }
    if (sum != SumTo(kExamples)) state.SkipWithError("rows are wrong");
  }
  state.SetItemsProcessed(state.iterations() * kExamples);
}

// Examples that wait, as for a file: at best 1 ms each, and 4 at a time.
void ParallelMap(benchmark::State& state, bool parallel) {
  constexpr int64_t kExamples = 400;
  const auto wait = [](const Structure& number) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return number;
  };
  const Dataset examples = Dataset::Range(kExamples).Map(
      wait, {.num_parallel_calls = parallel ? 4 : 0});
  for (auto unused : state) {
    int64_t sum = 0;
    for (const Structure& example : examples) sum += SumOf(example);
    if (sum != SumTo(kExamples)) state.SkipWithError("rows are wrong");
  }
  state.SetItemsProcessed(state.iterations() * kExamples);
}

constexpr int kReplicas = 4;

std::vector<Device*> Devices() {
  SetLogicalCpuDevices(kReplicas);
  std::vector<Device*> devices;
  for (int i = 0; i < kReplicas; ++i) {
    devices.push_back(&FindDevice("CPU:" + std::to_string(i)));
  }
  return devices;
}

// Numbers, each with an image.
Dataset Images(int64_t count) {
  const Tensor image = Tensor::Zeros(Shape{kPixels}, DType::kFloat32);
  return Dataset::Range(count).Map([image](const Structure& number) {
    return Structure::Tuple({number, image});
  });
}

DistributedDataset DistributedImages(int64_t count, bool by_function) {
  constexpr int64_t kBatch = 128;
  const Topology topology = Topology::OneWorker(kReplicas);
  if (!by_function) {
    return DistributeDataset(topology, Devices(), Images(count).Batch(kBatch));
  }
  return DistributeDatasetsFromFunction(
      topology, Devices(), [count](const InputContext& context) {
        return Images(count).Batch(context.GetPerReplicaBatchSize(kBatch));
      });
}

void Distribute(benchmark::State& state, bool by_function) {
  constexpr int64_t kExamples = 12800;
  const DistributedDataset inputs = DistributedImages(kExamples, by_function);
  for (auto unused : state) {
    int64_t sum = 0;
    for (const PerReplica<Structure>& step : inputs) {
      for (const Structure& part : step) sum += SumOf(part[0]);
    }
    if (sum != SumTo(kExamples)) state.SkipWithError("rows are wrong");
  }
  state.SetItemsProcessed(state.iterations() * kExamples);
}

Structure Parsed(const Structure& record) {
  const std::string& bytes = record.leaf().span<std::string>()[0];
  std::vector<float> pixels;
  pixels.reserve(bytes.size());
  for (const char byte : bytes) {
    pixels.push_back(static_cast<float>(static_cast<unsigned char>(byte)) /
                     255);
  }
  return Structure(Tensor::FromVector<float>(pixels));
}

void ShuffleRecords(benchmark::State& state, bool parsed_first) {
  constexpr int64_t kExamples = 20000;
  const std::vector<std::string> bytes(kExamples, std::string(kPixels, '\xff'));
  const Dataset records =
      Dataset::FromTensorSlices(Structure(Tensor::FromVector(bytes)));
  const Dataset examples =
      parsed_first ? records.Map(Parsed).Shuffle(kExamples, /*seed=*/1)
                   : records.Shuffle(kExamples, /*seed=*/1).Map(Parsed);
  for (auto unused : state) {
    double sum = 0;
    for (const Structure& example : examples) {
      sum += example.leaf().span<float>()[0];
    }
    if (sum != kExamples) state.SkipWithError("rows are wrong");
  }
  state.SetItemsProcessed(state.iterations() * kExamples);
}

struct Ways {
  std::string_view name;
  void (*run)(benchmark::State& state, bool second);
  std::string_view first;
  std::string_view second;
};

constexpr Ways kWays[] = {
    {"Cache", Cache, "made_again", "cached"},
    {"Prefetch", Prefetch, "in_turns", "ahead"},
    {"ParallelMap", ParallelMap, "one_call", "4_calls"},
    {"Distribute", Distribute, "dataset", "function"},
    {"ShuffleRecords", ShuffleRecords, "before_parsing", "after_parsing"},
};

void RegisterAll() {
  for (const Ways& ways : kWays) {
    for (const bool second : {false, true}) {
      const EntryName name =
          EntryName(ways.name).With("way", second ? ways.second : ways.first);
      ::benchmark::RegisterBenchmark(name.str().c_str(), ways.run, second)
          ->Unit(benchmark::kMillisecond)
          ->MeasureProcessCPUTime()
          ->UseRealTime();
    }
  }
}

}  // namespace
}  // namespace lockstep::benchmarks

int main(int argc, char** argv) {
  using namespace lockstep::benchmarks;
  return RunBenchmarks(argc, argv, RegisterAll);
}
