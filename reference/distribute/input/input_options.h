// How input reaches the replicas, as tf.distribute.InputOptions.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_INPUT_OPTIONS_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_INPUT_OPTIONS_H_

namespace lockstep {

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

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_INPUT_OPTIONS_H_
