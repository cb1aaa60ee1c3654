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
#include "reference/device/device.h"
#include "reference/distribute/input/step_source.h"
#include "reference/distribute/per_replica.h"
#include "reference/tensor/nest.h"

namespace lockstep {

// One pass over a distributed dataset.
//
//   DistributedIterator iterator = inputs.MakeIterator();
//   iterator.GetNext();             // PerReplica, or throws OutOfRange
//   iterator.GetNextAsOptional();   // without a value at the end, every time
//
// An error in the input is thrown by the step that reads it; the next call
// continues after it. The iterator may be destroyed in the middle of a pass.
//
// For GPUs the input runs on its own thread, which makes and copies the next
// step while the GPUs compute.
class DistributedIterator {
 public:
  using Element = PerReplica<Structure>;

  explicit DistributedIterator(distribute_internal::StepSourcePtr source);

  // False at the end, and `step` is unchanged. Errors, here and below:
  // FailedPrecondition inside a function that a strategy runs on its replicas.
  bool Next(Element* step);
  // Errors: OutOfRange at the end.
  Element GetNext();
  Optional<Element> GetNextAsOptional();

  // As of the dataset.
  PerReplica<SpecStructure> element_spec() const {
    return source_->element_spec();
  }

  // The position: the state that the pass began with, as by
  // DistributedDataset::SavePasses, and the numbers of steps read and of errors
  // thrown. GoTo begins that pass again and reads up to there, on any number of
  // replicas. Errors: InvalidArgument for a position in other data; an error of
  // the input that is not among those counted.
  struct Place {
    std::vector<uint64_t> passes;
    int64_t steps = 0;
    int64_t errors = 0;
  };
  const Place& place() const { return place_; }
  const distribute_internal::StepSourcePtr& source() const { return source_; }
  void GoTo(const Place& place);
  // Reads on in this pass up to there, and sets `last` to the last step read.
  // False if the data end before. Errors: of the input, not among those counted.
  bool SkipTo(int64_t steps, int64_t errors, Element* last);

 private:
  void Open();
  // Reads a step, or an error that is among the first `expected_errors`. False
  // at the end.
  bool SkipOne(int64_t expected_errors, Element* last);

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
// It is not a Dataset: no transformation can be added. Its passes are the next
// passes of its dataset (data/pass.h).
class DistributedDataset {
 public:
  // Made by DistributeDataset and DistributeDatasetsFromFunction.
  explicit DistributedDataset(distribute_internal::StepSourcePtr source)
      : source_(std::move(source)) {}

  const distribute_internal::StepSourcePtr& source() const { return source_; }

  // One spec per replica.
  PerReplica<SpecStructure> element_spec() const {
    return source_->element_spec();
  }
  // Steps of a pass, or kInfiniteCardinality or kUnknownCardinality.
  int64_t cardinality() const { return source_->cardinality(); }

  DistributedIterator MakeIterator() const {
    return DistributedIterator(source_);
  }

  // The state that later passes depend on: seeds of shuffles, how many passes
  // these have begun, and the orders in which caches were filled. The same
  // program in another process, on any number of replicas, then makes the same
  // next pass:
  //
  //   const std::vector<uint64_t> passes = inputs.SavePasses();   // kept
  //   inputs.RestorePasses(passes);                               // elsewhere
  //
  // The state of generators and functions of the program is not included.
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

// What the steps are, how many, and what each operation of this worker's
// pipeline does, as ToString(Dataset). It also says by which policy the dataset
// is sharded and why, and where operations were added to shard and divide it
// (data/sharding/explain_sharding.h):
//
//   ToString(inputs);   // of the example above
//   // DistributedDataset
//   // element_spec: int64 (None,) on each of 2 replicas
//   // cardinality: 2
//   // auto_shard_policy: OFF (one worker reads all data)
//   // Rebatch(parts=2)  # each batch in 2 parts, one for each replica
//   //   Batch(size=4)
//   //     Range(stop=6)
std::string ToString(const DistributedDataset& inputs);

// Tells a dataset_fn for which replicas its dataset is.
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

  // Errors: InvalidArgument if the replicas cannot have equal shares.
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
  kPerWorker,  // one dataset for all replicas of a worker
  kPerReplica,  // one dataset per replica; only with DistributeDatasetsFromFunction
};

struct InputOptions {
  // Copies each replica's part to its device. Otherwise it stays in the memory
  // in which the dataset made it.
  bool fetch_to_device = true;
  InputReplicationMode replication_mode = InputReplicationMode::kPerWorker;
  // Runs each replica's dataset with that replica's device as the current one
  // (for a GPU with the host), and returns its elements on that device.
  // REQUIRES: kPerReplica and not fetch_to_device, else InvalidArgument.
  bool place_dataset_on_device = false;
};

using DatasetFunction = std::function<Dataset(const InputContext&)>;

// Each batch, also a short one, is divided into parts of ceil(size / replicas)
// rows; a replica for which no rows are left gets an empty batch. A single
// replica gets the elements unchanged. AutoShard (data/sharding/auto_shard.h)
// decides which parts are for this worker. Errors: those of AutoShard;
// InvalidArgument unless there is one device per local replica, for
// place_dataset_on_device, and for elements without a batch axis, whatever the
// number of replicas and elements (after a Map without an output_spec when they
// are read); Unimplemented for kPerReplica.
DistributedDataset DistributeDataset(const Topology& topology,
                                     const std::vector<Device*>& devices,
                                     const Dataset& dataset,
                                     const InputOptions& options = {});

// Calls `function` at once: once per worker, or with kPerReplica once per
// replica; the id of the input pipeline is the number of the worker or replica.
// There is a step while any local replica has an element; the others get an
// empty batch. Errors: InvalidArgument unless there is one device per local
// replica, for no function, and for conflicting options.
DistributedDataset DistributeDatasetsFromFunction(
    const Topology& topology, const std::vector<Device*>& devices,
    const DatasetFunction& function, const InputOptions& options = {});

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_DISTRIBUTED_DATASET_H_
