// What a function costs that a coordinator schedules with parameter servers: two
// workers and a server, processes of one machine.
//
//   ./bazelw run //benchmarks/micro:parameter_server_benchmark
//
// The time is from the first Schedule to the Join, for as many functions as
// benchmarks/peers/parameter_server schedules. Every entry is checked: what the
// functions changed or returned must be exact. The last one kills the server
// while functions run; its time is that until Join throws.
#include <benchmark/benchmark.h>
#include <fmt/core.h>
#include <signal.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "benchmarks/measurement/result_entry.h"
#include "benchmarks/micro/benchmark_options.h"
#include "reference/base/random.h"
#include "reference/lockstep.h"
#include "reference/parameter_server/coordinator/cluster_coordinator.h"
#include "reference/parameter_server/coordinator/parameter_server_strategy.h"
#include "reference/parameter_server/local/local_cluster.h"
#include "reference/parameter_server/server/parameter_server.h"

namespace lockstep::benchmarks {
namespace {

constexpr int kWorkers = 2;
constexpr int kServers = 1;
constexpr int64_t kBytes = 4 << 20;
constexpr int64_t kFloats = kBytes / 4;
constexpr int64_t kRows = 100000;
constexpr int64_t kColumns = 64;
constexpr int64_t kBatch = 256;
constexpr float kRate = 1.0f / 1024;  // exact

VariablePtr Zeros(const char* name, const Shape& shape) {
  return MakeVariable(
      {.initial_value = [shape] { return Tensor::Zeros(shape); },
       .name = name});
}

double SumOf(const Tensor& tensor) {
  double sum = 0;
  for (const float x : tensor.span<float>()) sum += x;
  return sum;
}

// What all processes build; in the scope of the strategy.
struct Program {
  explicit Program(ParameterServerStrategy& strategy)
      : pushed(Zeros("pushed", Shape{kFloats})),
        total(Zeros("total", Shape{})),
        table(Zeros("table", Shape{kRows, kColumns})),
        optimizer({.learning_rate = kRate}) {
    optimizer.Build({table});
    schedule = strategy.Function("schedule", [](const WorkerArguments&) {
      return Structure::Tuple({});
    });
    push = strategy.Function("push", [this](const WorkerArguments&) {
      pushed->AssignAdd(Tensor::FromVector(std::vector<float>(kFloats, 1)));
      return Structure::Tuple({});
    });
    pull = strategy.Function("pull", [this](const WorkerArguments&) {
      total->Assign(ops::ReduceMean(pushed->Read()));
      return Structure::Tuple({});
    });
    embed = strategy.Function("embed", [this](const WorkerArguments&) {
      TrainSomeRows();
      return Structure::Tuple({});
    });
  }

  void TrainSomeRows() {
    thread_local Random random(1);
    std::vector<int64_t> ids(kBatch);
    for (int64_t& id : ids) id = random.UniformInt(kRows);
    GradientTape tape;
    const Tensor loss =
        ops::ReduceSum(table->ReadRows(Tensor::FromVector(ids)));
    const std::vector<VariablePtr> variables = {table};
    optimizer.ApplyGradients(
        ZipRows(tape.SparseGradient(loss, variables), variables));
  }

  VariablePtr pushed, total, table;
  Sgd optimizer;
  WorkerFunction schedule, push, pull, embed;
};

// Schedules `count` functions in each round. Returns how many ran in all.
int64_t Run(benchmark::State& state, ClusterCoordinator& coordinator,
            const WorkerFunction& function, int64_t count) {
  const auto round = [&] {
    for (int64_t i = 0; i < count; ++i) coordinator.Schedule(function);
    coordinator.Join();
  };
  round();  // untimed
  for (auto unused : state) round();
  return count * (static_cast<int64_t>(state.iterations()) + 1);
}

void Schedule(benchmark::State& state, ClusterCoordinator& coordinator,
              Program& program) {
  constexpr int64_t kCount = 2000;
  Run(state, coordinator, program.schedule, kCount);
  if (!coordinator.Done()) state.SkipWithError("functions are left");
  state.SetItemsProcessed(kCount * static_cast<int64_t>(state.iterations()));
}

void Push(benchmark::State& state, ClusterCoordinator& coordinator,
          Program& program) {
  constexpr int64_t kCount = 40;
  const double before = SumOf(program.pushed->Read());
  const int64_t ran = Run(state, coordinator, program.push, kCount);
  const double expected = before + static_cast<double>(ran) * kFloats;
  if (SumOf(program.pushed->Read()) != expected) {
    state.SkipWithError("sums are wrong");
  }
  state.SetBytesProcessed(kCount * kBytes *
                          static_cast<int64_t>(state.iterations()));
}

void Pull(benchmark::State& state, ClusterCoordinator& coordinator,
          Program& program) {
  constexpr int64_t kCount = 40;
  Run(state, coordinator, program.pull, kCount);
  const double mean = SumOf(program.pushed->Read()) / kFloats;
  if (program.total->Read().item<float>() != mean) {
    state.SkipWithError("the mean is wrong");
  }
  state.SetBytesProcessed(kCount * kBytes *
                          static_cast<int64_t>(state.iterations()));
}

void EmbeddingStep(benchmark::State& state, ClusterCoordinator& coordinator,
                   Program& program) {
  constexpr int64_t kCount = 500;
  const double before = SumOf(program.table->Read());
  const int64_t ran = Run(state, coordinator, program.embed, kCount);
  const double changed = static_cast<double>(ran * kBatch * kColumns) * kRate;
  if (SumOf(program.table->Read()) != before - changed) {
    state.SkipWithError("the table is wrong");
  }
  state.SetItemsProcessed(kCount * static_cast<int64_t>(state.iterations()));
}

// Ends the cluster: `server` is killed while functions run. An item is a loss
// that was noticed.
void Notice(benchmark::State& state, ClusterCoordinator& coordinator,
            Program& program, pid_t server) {
  using Clock = std::chrono::steady_clock;
  for (auto unused : state) {
    for (int i = 0; i < 2000; ++i) coordinator.Schedule(program.push);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const auto start = Clock::now();
    kill(server, SIGKILL);
    try {
      coordinator.Join();
      state.SkipWithError("the loss was not noticed");
    } catch (const Error& error) {
      if (error.code() != Code::kUnavailable) state.SkipWithError(error.what());
    }
    state.SetIterationTime(
        std::chrono::duration<double>(Clock::now() - start).count());
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()));
}

using Entry = void (*)(benchmark::State&, ClusterCoordinator&, Program&);

std::string OnCluster(EntryName operation) {
  return operation.With("workers", kWorkers)
      .With("servers", kServers)
      .With("device", "cpu")
      .str();
}

void Register(EntryName operation, Entry entry, ClusterCoordinator& coordinator,
              Program& program) {
  benchmark::RegisterBenchmark(
      OnCluster(std::move(operation)).c_str(),
      [entry, &coordinator, &program](benchmark::State& state) {
        entry(state, coordinator, program);
      })
      ->Iterations(1)
      ->Repetitions(5)
      ->Unit(benchmark::kMillisecond)
      ->MeasureProcessCPUTime()
      ->UseRealTime();
}

// The last one, once.
void RegisterNotice(EntryName operation, ClusterCoordinator& coordinator,
                    Program& program, pid_t server) {
  benchmark::RegisterBenchmark(
      OnCluster(std::move(operation)).c_str(),
      [server, &coordinator, &program](benchmark::State& state) {
        Notice(state, coordinator, program, server);
      })
      ->Iterations(1)
      ->Repetitions(1)
      ->Unit(benchmark::kMillisecond)
      ->UseManualTime();
}

EntryName Operation(const char* operation) {
  return EntryName("ParameterServer").With("operation", operation);
}

int Main(int argc, char** argv) {
  const std::vector<pid_t> servers = StartLocalCluster(kWorkers, kServers);
  const ParameterServerCluster cluster = ParameterServerClusterOfTfConfig();
  if (cluster.role == ParameterServerRole::kServer) {
    return RunParameterServer(cluster, {});
  }
  ParameterServerStrategy strategy(cluster, {.threads_per_worker = 1});
  const StrategyScope scope = strategy.Scope();
  Program program(strategy);
  if (strategy.is_worker()) return strategy.Serve();
  ClusterCoordinator coordinator(strategy);
  return RunBenchmarks(argc, argv, [&] {
    Register(Operation("schedule"), Schedule, coordinator, program);
    Register(Operation("push").With("bytes", kBytes), Push, coordinator,
             program);
    Register(Operation("pull").With("bytes", kBytes), Pull, coordinator,
             program);
    Register(Operation("embedding_step")
                 .With("rows", kRows)
                 .With("columns", kColumns)
                 .With("batch", kBatch),
             EmbeddingStep, coordinator, program);
    RegisterNotice(Operation("notice"), coordinator, program, servers.back());
  });
}

}  // namespace
}  // namespace lockstep::benchmarks

int main(int argc, char** argv) {
  return lockstep::benchmarks::Main(argc, argv);
}
