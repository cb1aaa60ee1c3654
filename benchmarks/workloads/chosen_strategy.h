// What a trainer's replicas run under: a MirroredStrategy, one over several
// workers, or no strategy, which shows what a strategy costs.
//
//   ChosenStrategy none({.device = "gpu", .mirrored = false});
//   const ChosenStrategy::Here here(none);   // this thread is the one replica
//   none.strategy().Run(step, batch);        // calls step(batch)
#ifndef LOCKSTEP_BENCHMARKS_WORKLOADS_CHOSEN_STRATEGY_H_
#define LOCKSTEP_BENCHMARKS_WORKLOADS_CHOSEN_STRATEGY_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/threads.h"
#include "reference/data/dataset.h"
#include "reference/device/device.h"
#include "reference/distribute/multi_worker/multi_worker_mirrored_strategy.h"
#include "reference/distribute/strategy.h"

namespace lockstep::benchmarks {

// The logical devices that a number of replicas trains on:
// {"CPU:0", "CPU:1"} for "cpu" and 2. Makes logical devices where there are too
// few: as many CPUs as requested, and the first GPU divided. Errors: NotFound
// where there is no GPU, with the reason. REQUIRES: kind is "cpu" or "gpu".
std::vector<std::string> ReplicaDevices(std::string_view kind, int count);

struct StrategyChoice {
  std::string device = "cpu";  // or gpu
  int replicas = 1;
  int threads_per_replica = 1;
  bool mirrored = true;  // false: no strategy
  // This worker among others. REQUIRES: mirrored, and `replicas` are those
  // here.
  std::optional<ConnectedWorkers> workers = std::nullopt;
};

class ChosenStrategy {
 public:
  // Errors: NotFound where there is no GPU.
  // REQUIRES: no strategy is in force; one replica without a strategy.
  explicit ChosenStrategy(const StrategyChoice& choice);
  ~ChosenStrategy();

  Strategy& strategy() const { return *strategy_; }
  // One per local replica.
  const std::vector<Device*>& devices() const { return devices_; }

  // Divided among the replicas.
  DistributedDataset Distribute(const Dataset& dataset) const;

  // While it lives, a thread without a strategy computes on the replica's
  // device with the replica's threads, as a replica's thread does. Under a
  // strategy it has no effect.
  class Here {
   public:
    explicit Here(const ChosenStrategy& chosen);

   private:
    std::optional<DeviceScope> device_;
    std::optional<ThreadTeamScope> team_;
    std::optional<FlushDenormals> flush_;
  };

 private:
  std::unique_ptr<Strategy> mirrored_;  // over one worker or several
  std::unique_ptr<ThreadTeam> team_;    // without a strategy
  Strategy* strategy_;
  std::vector<Device*> devices_;
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_WORKLOADS_CHOSEN_STRATEGY_H_
