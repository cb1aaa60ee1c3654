#include "benchmarks/scaling_trainer.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "benchmarks/workloads/all_workloads.h"
#include "reference/base/error.h"

namespace lockstep::benchmarks {
namespace {

// Of all workers together.
int MostReplicas(const ScalingOptions& options) {
  return std::ranges::max(options.workers) * std::ranges::max(options.replicas);
}

}  // namespace

Workload ChooseWorkload(const ScalingOptions& options) {
  return WithPrecision(
      MakeWorkload(options.workload, {.batch_per_replica = options.batch,
                                      .most_replicas = MostReplicas(options),
                                      .seed = options.seed,
                                      .data = options.data,
                                      .image_size = options.image_size,
                                      .l2 = options.l2}),
      options.precision);
}

namespace {

// Of all replicas together; 0: a batch for each.
int64_t GlobalBatchSize(const ScalingOptions& options,
                        const Workload& workload) {
  if (options.scaling == "weak") return 0;
  const int most = MostReplicas(options);
  if (workload.batch_per_replica < most) {
    throw InvalidArgument(
        "[Scaling] a batch of {} cannot be divided over {} replicas; a larger "
        "--batch would help",
        workload.batch_per_replica, most);
  }
  return workload.batch_per_replica;
}

PlantedSlowdown PlantedAt(const PlantedOptions& planted, int replicas) {
  if (planted.at_replicas != 0 && planted.at_replicas != replicas) return {};
  return {.work = std::chrono::microseconds(planted.work_us),
          .wait = std::chrono::microseconds(planted.wait_us),
          .share = planted.work_percent / 100.0};
}

std::string Replicas(int count) {
  return fmt::format("{} replica{}", count, count == 1 ? "" : "s");
}

}  // namespace

std::string Configuration::Label() const {
  if (!mirrored) return "no strategy";
  if (workers == 1) return Replicas(replicas);
  return fmt::format("{} workers x {}", workers, Replicas(replicas));
}

std::unique_ptr<Trainer> MakeTrainer(
    const ScalingOptions& options, const Workload& workload,
    const Configuration& configuration,
    const std::optional<ConnectedWorkers>& connected) {
  const auto& [workers, replicas, mirrored] = configuration;
  return std::make_unique<Trainer>(
      workload,
      TrainerOptions{.replicas = replicas,
                     .threads_per_replica =
                         std::max(1, options.threads / (workers * replicas)),
                     .mirrored = mirrored,
                     .global_batch_size = GlobalBatchSize(options, workload),
                     .seed = options.seed,
                     .epochs = options.epochs,
                     .steps_per_epoch = options.steps,
                     .device = options.device,
                     .trace = !options.trace.empty(),
                     .graph = options.graph,
                     .each_step = options.step_times,
                     .planted = PlantedAt(options.planted, replicas),
                     .workers = connected});
}

}  // namespace lockstep::benchmarks
