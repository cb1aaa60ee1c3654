#include "benchmarks/scaling_workers.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <chrono>
#include <functional>
#include <string_view>
#include <utility>

#include "benchmarks/workloads/chosen_strategy.h"
#include "reference/cluster/environment_cluster_resolver.h"
#include "reference/distribute/multi_worker/multi_worker_mirrored_strategy.h"

namespace lockstep::benchmarks {
namespace {

// A worker that takes longer has died, or cannot be started here.
constexpr std::chrono::minutes kComing{1};

class PlaceResolver final : public ClusterResolver {
 public:
  explicit PlaceResolver(const WorkerPlace& place) : place_(place) {}

  ClusterSpec Resolve() const override {
    return ClusterSpec({.origin = std::string(name()),
                        .num_workers = place_.workers,
                        .worker = WorkerId(place_.worker)});
  }
  std::string_view name() const override { return "the scaling benchmark"; }

 private:
  const WorkerPlace place_;
};

MultiWorkerMirroredStrategyOptions StrategyOptions(int replicas,
                                                   WorkerAddress chief) {
  MultiWorkerMirroredStrategyOptions options;
  options.devices = ReplicaDevices("cpu", replicas);
  options.control.chief = std::move(chief);
  options.control.join_timeout = kComing;
  return options;
}

ConnectedWorkers Connect(const WorkerPlace& place,
                         std::function<void(int port)> listening = {}) {
  auto options = StrategyOptions(place.replicas, {"127.0.0.1", place.port});
  options.control.listening = std::move(listening);
  return ConnectWorkers(PlaceResolver(place), options);
}

// Makes the same calls as worker 0, except those that only worker 0 makes.
void TrainAlong(const ScalingOptions& options,
                const Configuration& configuration,
                const ConnectedWorkers& connected) {
  const Workload workload = ChooseWorkload(options);
  const auto trainer = MakeTrainer(options, workload, configuration, connected);
  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    trainer->TrainEpoch({.step_is_over = [](int64_t) { return true; }});
  }
  trainer->Result();
  if (!options.trace.empty()) trainer->Trace();
}

std::vector<std::string> WithPlace(std::vector<std::string> words,
                                   const WorkerPlace& place) {
  words.push_back(fmt::format("--as_worker={}", place.worker));
  words.push_back(fmt::format("--of_workers={}", place.workers));
  words.push_back(fmt::format("--with_replicas={}", place.replicas));
  words.push_back(fmt::format("--chief_port={}", place.port));
  return words;
}

}  // namespace

OtherWorkers::OtherWorkers(const ScalingOptions& options,
                           const Configuration& configuration)
    : words_(options.words), configuration_(configuration) {}

ConnectedWorkers OtherWorkers::Meet() {
  WorkerPlace place{.workers = configuration_.workers,
                    .replicas = configuration_.replicas};
  return Connect(place, [&](int port) {
    for (int worker = 1; worker < place.workers; ++worker) {
      WorkerPlace its = place;
      its.worker = worker;
      its.port = port;
      processes_.push_back(
          std::make_unique<WorkerProcess>(worker, WithPlace(words_, its)));
    }
  });
}

std::vector<std::string> OtherWorkers::Problems() {
  std::vector<std::string> problems;
  for (const auto& process : processes_) {
    const std::string problem = process->Problem(std::chrono::milliseconds(0));
    if (problem.empty()) continue;
    problems.push_back(fmt::format("{}: {}", configuration_.Label(), problem));
  }
  return problems;
}

void OtherWorkers::Join() {
  for (const auto& process : processes_) process->Join();
}

ClusterSpec FindCluster(const ScalingOptions& options) {
  if (options.chief.empty()) return ClusterSpec();
  return EnvironmentClusterResolver().Resolve();
}

ConnectedWorkers MeetLaunched(const ScalingOptions& options) {
  auto strategy = StrategyOptions(options.replicas[0],
                                  ParseWorkerAddress(options.chief, "--chief"));
  // Its arguments: all train the same.
  strategy.control.program = fmt::format(
      "scaling {}",
      fmt::join(options.words.begin() + 1, options.words.end(), " "));
  return ConnectWorkers(EnvironmentClusterResolver(), strategy);
}

int RunWorker(const ScalingOptions& options) {
  EndWithStarter();
  const WorkerPlace& place = options.place;
  TrainAlong(options, {.workers = place.workers, .replicas = place.replicas},
             Connect(place));
  return 0;
}

int RunLaunchedWorker(const ScalingOptions& options) {
  TrainAlong(options,
             {.workers = options.workers[0], .replicas = options.replicas[0]},
             MeetLaunched(options));
  return 0;
}

}  // namespace lockstep::benchmarks
