#include "benchmarks/workloads/trainer.h"

#include <fmt/core.h>

#include <chrono>
#include <string>
#include <vector>

#include "benchmarks/measurement/library_time.h"
#include "benchmarks/workloads/training_loop.h"
#include "benchmarks/workloads/worker_results.h"
#include "reference/base/error.h"
#include "reference/distribute/variables/distributed_variable_creation.h"

namespace lockstep::benchmarks {

Trainer::Trainer(const Workload& workload, const TrainerOptions& options)
    : options_(options),
      workload_(workload),
      chosen_(std::make_unique<ChosenStrategy>(
          StrategyChoice{.device = options.device,
                         .replicas = options.replicas,
                         .threads_per_replica = options.threads_per_replica,
                         .mirrored = options.mirrored,
                         .workers = options.workers})) {
  const ChosenStrategy::Here here(*chosen_);
  loop_ = std::make_unique<TrainingLoop>(workload, options, *chosen_);
}

Trainer::~Trainer() = default;

std::optional<EpochResult> Trainer::TrainEpoch(const EpochHooks& hooks) {
  const ChosenStrategy::Here here(*chosen_);
  if (workers()) workers()->control->Barrier("epoch", kNoDeadline);
  const std::optional<EpochResult> epoch = loop_->RunEpoch(hooks);
  if (epoch) epochs_.push_back(*epoch);
  return epoch;
}

int64_t Trainer::examples_per_epoch() const {
  return loop_->ExamplesPerEpoch();
}

int64_t Trainer::steps_per_epoch() const { return loop_->StepsPerEpoch(); }

TrainingResult Trainer::ResultSoFar() const {
  TrainingResult result;
  result.workload = workload_.name;
  result.precision = workload_.precision;
  result.device = options_.device;
  result.mirrored = options_.mirrored;
  result.optimizer = workload_.optimizer;
  result.item = workload_.data.item;
  result.tokens_per_example = workload_.data.tokens_per_example;
  result.quality = loop_->quality();
  result.workers = loop_->strategy().topology().num_workers();
  result.replicas = options_.replicas;
  result.threads_per_replica = options_.threads_per_replica;
  result.global_batch_size = loop_->global_batch_size();
  result.seed = options_.seed;
  result.epochs = epochs_;
  loop_->meter().Describe(result);
  if (options_.device == "gpu") {
    const StepGraphStatistics& counts = loop_->graph_statistics();
    result.step_graphs = {.eager_steps = counts.eager_steps,
                          .captures = counts.captures,
                          .launches = counts.launches};
  }
  return result;
}

const ConnectedWorkers* Trainer::workers() const {
  const auto& workers = options_.workers;
  return workers && !given_up_ ? &*workers : nullptr;
}

void Trainer::GiveUp() {
  if (workers()) workers()->control->Abort("the benchmark was interrupted");
  given_up_ = true;
}

std::vector<std::string> Trainer::Exchange(const std::string& name,
                                           const std::string& mine) const {
  constexpr std::chrono::minutes kLimit{1};
  return workers()->control->Exchange(
      name, mine, std::chrono::steady_clock::now() + kLimit);
}

// Each worker compares its copies with the chief's.
void Trainer::CheckWorkersEqual() const {
  std::vector<VariablePtr> variables = loop_->weights();
  for (const VariablePtr& variable : loop_->optimizer().variables()) {
    variables.push_back(variable);
  }
  TensorList mine;
  for (const VariablePtr& variable : variables) {
    mine.push_back(variable->Read());
  }
  const TensorList chiefs =
      workers()->between->Broadcast(mine, /*root=*/0, {}).Wait();
  for (size_t i = 0; i < variables.size(); ++i) {
    if (BitwiseEqual(chiefs[i], mine[i])) continue;
    throw Internal("[Trainer] variable '{}' differs between worker 0 and {}",
                   variables[i]->name(), workers()->topology.worker().value());
  }
}

TrainingResult Trainer::Result() const {
  TrainingResult result = ResultSoFar();
  CheckReplicasEqual(loop_->weights());
  CheckReplicasEqual(loop_->optimizer().variables());
  result.copies_bitwise_equal = !options_.workers || workers();
  if (!workers()) return result;
  CheckWorkersEqual();
  return OfAllWorkers(result, Exchange("measured", MeasuredText(result)));
}

std::optional<LibraryTime> Trainer::TimeLibraries() const {
  const LibraryCalls& calls = loop_->library_calls();
  if (calls.list().empty()) return std::nullopt;
  return TimeLibraryCalls(*chosen_->devices()[0], calls);
}

TraceProcess Trainer::Trace() const {
  const int num_workers = loop_->strategy().topology().num_workers();
  const std::string name = fmt::format(
      "{}{}, {} replica{}{}, global batch {}", workload_.name,
      num_workers == 1 ? "" : fmt::format(", {} workers", num_workers),
      options_.replicas, options_.replicas == 1 ? "" : "s",
      options_.mirrored ? "" : " without a strategy",
      loop_->global_batch_size());
  const TraceProcess here = loop_->meter().Trace(name);
  if (!workers()) return here;
  return TraceOfAllWorkers(name, Exchange("traced", TraceText(here)));
}

}  // namespace lockstep::benchmarks
