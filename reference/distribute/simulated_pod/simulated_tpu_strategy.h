// A simulated TPU pod: synchronous training under the rules that TensorFlow's
// documents state for TPUs, on logical CPU devices of one process. It shows
// which programs keep to these rules. It is no TPU: nothing is compiled, and
// times say nothing about one.
//
//   SimulatedTpuStrategy strategy({.hosts = 2, .cores_per_host = 4});
//   strategy.num_replicas_in_sync();   // 8: the cores, host by host
//   strategy.description();   // "simulated TPU pod of 2 hosts with 4 cores each"
//
// What differs from MirroredStrategy:
//
// - Each host has one input pipeline. DistributeDataset shards among the hosts,
//   as MultiWorkerMirroredStrategy does among workers (AutoShardPolicy);
//   DistributeDatasetsFromFunction calls the function once a host, with
//   num_input_pipelines() == hosts.
// - Shapes are static: in a pass, every part of every step has the shapes of the
//   first one. A smaller last batch, or a host that runs out of data before the
//   others, is an error; Batch(n, /*drop_remainder=*/true) avoids both where the
//   hosts have equally many batches.
// - Dataset::FromGenerator is not supported.
// - Replicas cannot compute with strings or tables. Layers such as StringLookup
//   belong in the dataset (Map); Normalization and Rescaling also work in models
//   and in Run.
//
// TensorFlow's TPUStrategy pads a changing batch unless
// RunOptions.experimental_enable_dynamic_batch_size is false; static shapes here
// are the rule with it false
// (docs/design.md#a-simulated-pod-takes-the-documented-rules-at-their-word).
//
// Errors, in addition to those of Strategy: Unimplemented for a generator, for
// elements with strings unless InputOptions::fetch_to_device is false, and for
// such layers in Run; InvalidArgument for shapes that change, thrown by the step
// that has them.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_SIMULATED_POD_SIMULATED_TPU_STRATEGY_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_SIMULATED_POD_SIMULATED_TPU_STRATEGY_H_

#include <string>
#include <vector>

#include "reference/distribute/mirroring_strategy.h"

namespace lockstep {

struct SimulatedTpuStrategyOptions {
  int hosts = 1;
  int cores_per_host = 8;
  // 0: the number of the machine's cores divided by that of replicas, at least
  // 1.
  int threads_per_replica = 0;
};

class SimulatedTpuStrategy final : public MirroringStrategy {
 public:
  // Host h has the devices CPU:h * cores_per_host and following. Errors:
  // InvalidArgument for fewer than 1 host or core, for more than 64 cores in
  // all, and for a negative number of threads; NotFound if the program has set
  // fewer logical CPU devices; ResourceExhausted if threads cannot be started.
  explicit SimulatedTpuStrategy(
      const SimulatedTpuStrategyOptions& options = {});

  int hosts() const { return hosts_; }
  int cores_per_host() const { return num_replicas_in_sync() / hosts_; }
  std::string description() const;

 private:
  void RunReplicas(const ReplicaBody& body) override;
  DistributedDataset MakeInput(const Dataset& dataset,
                               const InputOptions& options) const override;
  DistributedDataset MakeInput(const DatasetFunction& function,
                               const InputOptions& options) const override;
  // The replicas of all hosts, as seen from one of them.
  Topology TopologyOn(int host) const;
  std::vector<Device*> DevicesOn(int host) const;
  // The steps of pipelines, one for each host, checked.
  DistributedDataset Join(std::vector<DistributedDataset> pipelines,
                          const InputOptions& options) const;

  const int hosts_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_SIMULATED_POD_SIMULATED_TPU_STRATEGY_H_
