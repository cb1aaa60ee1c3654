// Compares our CPU kernels with oneDNN's, at the two workloads' shapes.
//
//   ./bazelw run //benchmarks/micro:kernels_benchmark
//   ... -- --benchmark_filter=MaxPool2D --benchmark_out=kernels.json
//
// On one thread, as each of two replicas has on two cores. Ours and oneDNN's
// take turns, and the CPU times of the two are compared turn by turn:
// `gain` is the median of oneDNN's time over ours, so that it holds on a busy
// machine too; ours are faster where it is above 1. kernels/kernel_pair.h
// says what oneDNN's time includes. Before anything is timed, the results of
// both are compared. What oneDNN does not have is timed alone.
//
// Exit status: 0; 1 when results differ or something fails; 2 for a wrong
// command line.
#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/measurement/cpu_time.h"
#include "benchmarks/measurement/result_entry.h"
#include "benchmarks/measurement/run_error.h"
#include "benchmarks/micro/benchmark_options.h"
#include "benchmarks/micro/kernels/kernel_pair.h"
#include "command_line/parse.h"
#include "command_line/program.h"
#include "reference/kernels/cpu/onednn_engine.h"

namespace lockstep::benchmarks {
namespace {

// Before the caller's own, which win.
const std::vector<std::string> kDefaults{
    "--benchmark_enable_random_interleaving=true", "--benchmark_repetitions=5",
    "--benchmark_min_time=0.02"};

// Of one run among `count`, by the thread's own clock, so that other processes
// count as little as can be.
double Seconds(const KernelRun& run, int count) {
  const double start = ThreadCpuSeconds();
  for (int i = 0; i < count; ++i) benchmark::DoNotOptimize(run());
  return (ThreadCpuSeconds() - start) / count;
}

// Runs of a turn: some 100 us of them, many times what reading the clock takes.
int RunsOfATurn(const KernelRun& run) {
  Seconds(run, 3);
  return std::clamp(static_cast<int>(100e-6 / Seconds(run, 3)), 1, 1000);
}

struct Turns {
  std::vector<double> own, onednn, gains;

  void Take(const KernelRuns& runs, int count) {
    const bool own_first = own.size() % 2 == 0;
    if (own_first) own.push_back(Seconds(runs.own, count));
    if (runs.onednn) onednn.push_back(Seconds(runs.onednn, count));
    if (!own_first) own.push_back(Seconds(runs.own, count));
    if (runs.onednn) gains.push_back(onednn.back() / own.back());
  }
};

// Prepares a pair on first use; repetitions then measure the same.
class Comparison {
 public:
  explicit Comparison(KernelPair pair) : pair_(std::move(pair)) {}

  void Run(benchmark::State& state) {
    if (!runs_.own) Prepare();
    if (!difference_.empty()) return state.SkipWithError(difference_.c_str());
    Turns turns;
    while (state.KeepRunningBatch(runs_of_a_turn_)) {
      turns.Take(runs_, runs_of_a_turn_);
      state.SetIterationTime(turns.own.back() * runs_of_a_turn_);
    }
    state.counters["own_us"] = Median(turns.own) * 1e6;
    if (!runs_.onednn) return;
    state.counters["onednn_us"] = Median(turns.onednn) * 1e6;
    state.counters["gain"] = Median(turns.gains);
  }

 private:
  void Prepare() {
    runs_ = pair_.make();
    runs_of_a_turn_ = RunsOfATurn(runs_.own);
    if (!runs_.onednn) return;
    difference_ =
        KernelDifference(runs_.own(), runs_.onednn(), pair_.tolerance);
    if (!difference_.empty()) difference_ = "oneDNN differs: " + difference_;
  }

  KernelPair pair_;
  KernelRuns runs_;
  int runs_of_a_turn_ = 0;
  std::string difference_;
};

// The medians that Google Benchmark makes of the repetitions, in the order of
// registration, whatever that of the runs.
class GainTable final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override {
    PrintBasicContext(&GetErrorStream(), context);
    return true;
  }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      const bool result =
          run.repetitions == 1 || run.aggregate_name == "median";
      const bool failed = !ErrorOf(run).empty();
      failed_ = failed_ || failed;
      if (result || failed) lines_[run.family_index] = Line(run);
    }
  }

  std::string str() const {
    std::string table = fmt::format("#{:>9} {:>12} {:>6}  {}\n", "own (us)",
                                    "oneDNN (us)", "gain", "kernel");
    for (const auto& [index, line] : lines_) table += line;
    return table;
  }
  bool failed() const { return failed_ || lines_.empty(); }

 private:
  static std::string Number(const Run& run, const char* counter) {
    const auto found = run.counters.find(counter);
    if (found == run.counters.end()) return "-";
    return fmt::format("{:.2f}", found->second.value);
  }
  static std::string Line(const Run& run) {
    const std::string error = ErrorOf(run);
    return fmt::format("{:>10} {:>12} {:>6}  {}{}\n", Number(run, "own_us"),
                       Number(run, "onednn_us"), Number(run, "gain"),
                       run.run_name.function_name,
                       error.empty() ? "" : ": " + error);
  }

  std::map<int64_t, std::string> lines_;  // by the family's index
  bool failed_ = false;
};

void Register() {
  for (const KernelPair& pair : WorkloadKernels()) {
    const auto comparison = std::make_shared<Comparison>(pair);
    const auto run = [comparison](benchmark::State& state) {
      try {
        comparison->Run(state);
      } catch (const std::exception& error) {
        state.SkipWithError(error.what());
      }
    };
    benchmark::RegisterBenchmark(pair.name.c_str(), run)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

int Measure() {
  AddMachineContext();
  const kernels_internal::OneDnnThread single;
  Register();
  GainTable table;
  benchmark::RunSpecifiedBenchmarks(&table);
  benchmark::Shutdown();
  Print("{}", table.str());
  return table.failed() ? 1 : 0;
}

}  // namespace
}  // namespace lockstep::benchmarks

int main(int argc, char** argv) {
  using namespace lockstep::benchmarks;
  return lockstep::RunProgram([&] {
    if (!ReadBenchmarkOptions(kDefaults, argc, argv))
      return lockstep::kWrongUsage;
    return Measure();
  });
}
