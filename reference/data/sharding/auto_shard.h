// Which part of a distributed dataset a worker reads.
//
// Every global batch is divided into one part a replica of all workers
// (rebatch.h), in the order of their ids, worker by worker: gathered in that
// order they are the batch again, however many workers there are.
//
//   const Dataset batches = Dataset::Range(20).Batch(8);
//   // Two workers with one replica each:
//   AutoShard(batches, {.workers = 2, .worker = 0, .replicas = 2});
//                                  // [0, 1, 2, 3], [8, 9, 10, 11], [16, 17]
//   AutoShard(batches, {.workers = 2, .worker = 1, .replicas = 2});
//                                  // [4, 5, 6, 7], [12, 13, 14, 15], [18, 19]
//
// Which parts are the worker's is said by the dataset's AutoShardPolicy.
#ifndef LOCKSTEP_REFERENCE_DATA_SHARDING_AUTO_SHARD_H_
#define LOCKSTEP_REFERENCE_DATA_SHARDING_AUTO_SHARD_H_

#include <cstdint>
#include <string>

#include "reference/data/dataset.h"

namespace lockstep {

// Who reads. REQUIRES, else InvalidArgument: 0 <= worker < workers; replicas, of
// all workers together, a positive multiple of workers.
struct InputShard {
  int64_t workers = 1;
  int64_t worker = 0;
  int64_t replicas = 1;
};

// The parts for the worker's replicas, one after another: replicas / workers of
// them are a step. A batch is divided into `replicas` parts, also where fewer
// rows are left, so a step never has parts of two batches. With one worker all
// policies are kOff.
//
// What `batches` remembers of its passes it goes on with here (pass.h): a pass
// over the parts is the next pass over `batches`. Workers that have made other
// numbers of passes have to agree before they begin one, as the datasets of a
// strategy do (distribute/input/agreed_end.h).
//
// Errors: NotFound for kFile and a source that reads no files; InvalidArgument
// for kFile or kAuto and fewer files than workers, on every worker, so that
// none waits for another.
Dataset AutoShard(const Dataset& batches, const InputShard& shard);

// How a dataset is shared out.
struct Sharding {
  // Never kAuto, but what that comes to. Under kData all workers read the same
  // batches, each for its parts alone.
  AutoShardPolicy policy = AutoShardPolicy::kOff;
  // What all workers have to have in common, for people: the policy and, but
  // under kOff, where each has data of its own, the pipeline
  // (pipeline_summary.h): "DATA of Batch[2](Range[8])".
  std::string description = "OFF";
};

Sharding DescribeSharding(const Dataset& batches, const InputShard& shard);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_SHARDING_AUTO_SHARD_H_
