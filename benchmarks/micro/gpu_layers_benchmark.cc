// Compares our kernels for pooling, batch normalization and softmax with
// cuDNN's, at the shapes of the two workloads.
//
//   ./bazelw run //benchmarks/micro:gpu_layers_benchmark
//   ... -- --benchmark_filter=Softmax --benchmark_out=layers.json
//
// A sample is the device's time of one of many consecutive runs in
// a CUDA graph; repetitions of all entries are interleaved at random.
// bytes_per_second counts the least that the layer must read and write, the
// same for both sides. Before cuDNN is timed, its results are compared
// with ours. What it does not support has no time, and is no failure.
//
// Exit status: 0; 1 when results differ, something fails or there is no GPU; 2
// for a wrong command line.
#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <exception>
#include <string>
#include <vector>

#include "benchmarks/micro/benchmark_options.h"
#include "benchmarks/micro/layers/layer_run.h"
#include "benchmarks/micro/layers/layer_work.h"
#include "benchmarks/micro/layers/prepared_layers.h"
#include "benchmarks/micro/layers/ratio_table.h"
#include "command_line/parse.h"
#include "command_line/program.h"
#include "reference/base/error.h"
#include "reference/device/device.h"
#include "reference/device/device_timer.h"

namespace lockstep::benchmarks {
namespace {

// Before the caller's own, which win.
const std::vector<std::string> kDefaults{
    "--benchmark_enable_random_interleaving=true", "--benchmark_repetitions=5",
    "--benchmark_min_time=0.005"};

// The entries of one run of the program, on one GPU.
class LayerBenchmarks {
 public:
  explicit LayerBenchmarks(Device& gpu) : gpu_(gpu), layers_(gpu) {}

  void Register() {
    for (const LayerWork& work : WorkloadLayers()) {
      std::vector<std::string> hands = CudnnWaysOf(work);
      hands.insert(hands.begin(), kOwn);
      for (const std::string& by : hands) {
        benchmark::RegisterBenchmark(
            EntryNameOf(work, by).c_str(),
            [=, this](benchmark::State& state) { Run(state, work, by); })
            ->UseManualTime()
            ->Unit(benchmark::kMicrosecond);
      }
    }
  }

  bool failed() const { return failed_; }

 private:
  void Run(benchmark::State& state, const LayerWork& work,
           const std::string& by) {
    try {
      const DeviceScope scope(gpu_);
      const LayerRun run = layers_.Prepare(work, by);
      const int count = RunsOf(work);
      CapturedRuns runs(gpu_, count, run);
      while (state.KeepRunningBatch(count)) {
        state.SetIterationTime(runs.Seconds());
      }
      state.SetBytesProcessed(state.iterations() * BytesOf(work));
    } catch (const Error& error) {
      failed_ = failed_ || error.code() != Code::kUnimplemented || by == kOwn;
      state.SkipWithError(error.what());
    } catch (const std::exception& error) {
      failed_ = true;
      state.SkipWithError(error.what());
    }
  }

  Device& gpu_;
  PreparedLayers layers_;
  bool failed_ = false;
};

int Measure(Device& gpu) {
  benchmark::AddCustomContext("gpu", DescribeCudnn(gpu));
  AddMachineContext();
  LayerBenchmarks benchmarks(gpu);
  benchmarks.Register();
  SampleCollector samples;
  const size_t entries = benchmark::RunSpecifiedBenchmarks(&samples);
  benchmark::Shutdown();
  Print("{}", RatioTable(samples.entries()));
  return benchmarks.failed() || entries == 0 ? 1 : 0;
}

}  // namespace
}  // namespace lockstep::benchmarks

int main(int argc, char** argv) {
  using namespace lockstep::benchmarks;
  return lockstep::RunProgram([&] {
    if (!ReadBenchmarkOptions(kDefaults, argc, argv))
      return lockstep::kWrongUsage;
    return Measure(lockstep::FindDevice("GPU:0"));
  });
}
