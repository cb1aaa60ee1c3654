// Datasets whose elements are one part for each replica, on given devices.
//
//   // Batches of the global batch size, divided among the replicas:
//   DistributeDataset(topology, devices, dataset.Batch(128));
//
//   // Every replica gets whole elements of what the function makes:
//   const auto make = [&](const InputContext& context) {
//     return dataset.Batch(context.GetPerReplicaBatchSize(128));
//   };
//   DistributeDatasetsFromFunction(topology, devices, make);
//
// A strategy's member functions of the same names call these for its replicas.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_DISTRIBUTED_DATASET_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_DISTRIBUTED_DATASET_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reference/cluster/topology.h"
#include "reference/data/dataset.h"
#include "reference/data/dataset_node.h"
#include "reference/data/sharding/auto_shard.h"
#include "reference/device/device.h"
#include "reference/distribute/per_replica.h"
#include "reference/tensor/nest.h"

namespace lockstep::distribute_internal {

// What one step hands to the replicas.
using Step = PerReplica<Structure>;

// Where the steps of a distributed dataset come from.
class StepSource {
 public:
  virtual ~StepSource() = default;

  virtual PerReplica<SpecStructure> element_spec() const = 0;
  // In steps.
  virtual int64_t cardinality() const = 0;
  // With the other workers; under kData all have as many steps.
  virtual Sharding sharding() const { return {}; }
  // Starts a pass.
  virtual data_internal::ReaderPtr<Step> Open() const = 0;
  // Those that a pass reads.
  virtual std::vector<data_internal::NodePtr> pipelines() const = 0;
};

using StepSourcePtr = std::shared_ptr<const StepSource>;

}  // namespace lockstep::distribute_internal

namespace lockstep {

// One pass over a distributed dataset.
//
//   DistributedIterator iterator = inputs.MakeIterator();
//   iterator.GetNext();             // PerReplica, or throws OutOfRange
//   iterator.GetNextAsOptional();   // without a value at the end, every time
//
// An error in the input surfaces at the step that reads it; the next call goes
// on behind. The iterator may be destroyed in the middle of a pass.
//
// For GPUs the input runs on a thread of its own, which makes and copies the
// step behind the one that was handed out while the GPUs compute.
class DistributedIterator {
 public:
  using Element = PerReplica<Structure>;

  explicit DistributedIterator(distribute_internal::StepSourcePtr source);

  // False at the end, `step` is then as before. Errors, here and below:
  // FailedPrecondition inside a function that a strategy runs on its replicas.
  bool Next(Element* step);
  // Errors: OutOfRange at the end.
  Element GetNext();
  Optional<Element> GetNextAsOptional();

  // As the dataset's.
  PerReplica<SpecStructure> element_spec() const {
    return source_->element_spec();
  }

  // Where it is: what the pass depends on, as DistributedDataset::SavePasses, and
  // how many steps of it were asked for. GoTo begins that pass again and reads as
  // many. Errors: InvalidArgument for a place in other data.
  struct Place {
    std::vector<uint64_t> passes;
    int64_t steps = 0;
  };
  const Place& place() const { return place_; }
  void GoTo(const Place& place);

 private:
  void Open();

  distribute_internal::StepSourcePtr source_;
  Place place_;
  data_internal::ReaderPtr<Element> steps_;
};

// A dataset whose elements are one part for each replica.
//
//   DistributedDataset inputs = DistributeDataset(
//       Topology::OneWorker(2), devices, Dataset::Range(6).Batch(4));
//   for (const PerReplica<Structure>& step : inputs) ...
//                             // ([0, 1], [2, 3]), then ([4], [5])
//   inputs.cardinality();     // 2 steps
//   inputs.element_spec();    // int64 (None,) for each replica
//
// It is not a Dataset: nothing can be added to it. Its passes are the next ones
// of the dataset that it was made of: made again of the same, it goes on with the
// orders of shuffles and what caches hold.
class DistributedDataset {
 public:
  // Made by DistributeDataset and DistributeDatasetsFromFunction.
  explicit DistributedDataset(distribute_internal::StepSourcePtr source)
      : source_(std::move(source)) {}

  const distribute_internal::StepSourcePtr& source() const { return source_; }

  // One spec a replica.
  PerReplica<SpecStructure> element_spec() const {
    return source_->element_spec();
  }
  // Steps of a pass, or kInfiniteCardinality or kUnknownCardinality.
  int64_t cardinality() const { return source_->cardinality(); }

  DistributedIterator MakeIterator() const {
    return DistributedIterator(source_);
  }

  // What the passes to come depend on besides the pipeline: seeds of shuffles,
  // how many passes these have begun, and by which pass caches were filled. The same program in another process,
  // on any number of replicas, makes the same next pass of it:
  //
  //   const std::vector<uint64_t> passes = inputs.SavePasses();   // kept
  //   inputs.RestorePasses(passes);                               // elsewhere
  //
  // What a generator or a function of the program draws by itself is not in it.
  // Errors: InvalidArgument for the state of a pipeline with other shuffles.
  std::vector<uint64_t> SavePasses() const;
  void RestorePasses(std::span<const uint64_t> passes) const;

  // For range-for; each begin() starts a new pass.
  ElementCursor<DistributedIterator> begin() const {
    return ElementCursor<DistributedIterator>(MakeIterator());
  }
  EndOfElements end() const { return {}; }

 private:
  distribute_internal::StepSourcePtr source_;
};

// What a dataset_fn is told about whom its dataset is for.
//
//   InputContext context(/*num_input_pipelines=*/1, /*input_pipeline_id=*/0,
//                        /*num_replicas_in_sync=*/4);
//   context.GetPerReplicaBatchSize(64);   // 16
//   context.GetPerReplicaBatchSize(10);   // throws InvalidArgument
class InputContext {
 public:
  // Errors: InvalidArgument unless 0 <= input_pipeline_id <
  // num_input_pipelines and num_replicas_in_sync >= 1.
  explicit InputContext(int num_input_pipelines = 1, int input_pipeline_id = 0,
                        int num_replicas_in_sync = 1);

  int num_input_pipelines() const { return num_input_pipelines_; }
  int input_pipeline_id() const { return input_pipeline_id_; }
  int num_replicas_in_sync() const { return num_replicas_in_sync_; }

  // Errors: InvalidArgument when the replicas cannot have equal shares.
  int64_t GetPerReplicaBatchSize(int64_t global_batch_size) const;

 private:
  int num_input_pipelines_;
  int input_pipeline_id_;
  int num_replicas_in_sync_;
};

// "tf.distribute.InputContext(input pipeline id 1, total: 3)", as documented.
std::string ToString(const InputContext& context);

// How input reaches the replicas, as tf.distribute.InputOptions.
enum class InputReplicationMode {
  kPerWorker,   // one dataset for all replicas of a worker
  kPerReplica,  // one dataset each; only with DistributeDatasetsFromFunction
};

struct InputOptions {
  // Each replica's part comes to its device; else it stays where the dataset
  // made it.
  bool fetch_to_device = true;
  InputReplicationMode replication_mode = InputReplicationMode::kPerWorker;
  // Runs each replica's dataset with that replica's device as the current one,
  // for a GPU with the host's, and hands its elements out on that device.
  // REQUIRES: kPerReplica and not fetch_to_device, else InvalidArgument.
  bool place_dataset_on_device = false;
};

using DatasetFunction = std::function<Dataset(const InputContext&)>;

// Each batch, short ones too, is divided by ceil(size / replicas); a replica
// for which no rows are left gets an empty batch. One replica gets the elements
// as they are. Which parts are for this worker is what AutoShard says
// (data/auto_shard.h). Errors: those of AutoShard; InvalidArgument for other
// than one device a replica that is here, for place_dataset_on_device, and for
// elements without a batch axis, whatever the number of replicas and elements
// (behind a Map without an output_spec, whose function tells, when they are
// read); Unimplemented for kPerReplica.
DistributedDataset DistributeDataset(const Topology& topology,
                                     const std::vector<Device*>& devices,
                                     const Dataset& dataset,
                                     const InputOptions& options = {});

// `function` is called at once: once a worker, or with kPerReplica once a
// replica; the worker's or the replica's number is the input pipeline's id. A
// step happens when any replica here has an element; the others get a batch
// without rows. Errors: InvalidArgument for other than one device a replica
// that is here, no function, or options that do not go together.
DistributedDataset DistributeDatasetsFromFunction(
    const Topology& topology, const std::vector<Device*>& devices,
    const DatasetFunction& function, const InputOptions& options = {});

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_DISTRIBUTED_DATASET_H_
