// Which part of a distributed dataset a worker reads.
//
// Every global batch is divided into one part per replica of all workers
// (rebatch.h), in the order of replica ids: gathered in that order the parts
// are the batch again, however many workers there are.
//
//   const Dataset batches = Dataset::Range(20).Batch(8);
//   // Two workers with one replica each:
//   AutoShard(batches, {.workers = 2, .worker = 0, .replicas = 2});
//                                  // [0, 1, 2, 3], [8, 9, 10, 11], [16, 17]
//   AutoShard(batches, {.workers = 2, .worker = 1, .replicas = 2});
//                                  // [4, 5, 6, 7], [12, 13, 14, 15], [18, 19]
//
// The dataset's AutoShardPolicy decides which parts a worker reads.
#ifndef LOCKSTEP_REFERENCE_DATA_SHARDING_AUTO_SHARD_H_
#define LOCKSTEP_REFERENCE_DATA_SHARDING_AUTO_SHARD_H_

#include <cstdint>
#include <string>

#include "reference/data/dataset.h"

namespace lockstep {

// The reader. REQUIRES, else InvalidArgument: 0 <= worker < workers;
// `replicas`, those of all workers, is a positive multiple of `workers`.
struct InputShard {
  int64_t workers = 1;
  int64_t worker = 0;
  int64_t replicas = 1;
};

// The parts for the worker's replicas in order: replicas / workers of them are
// a step. Every batch is divided into `replicas` parts, even a short one, so a
// step never has parts of two batches. With one worker every policy is kOff.
//
// A pass over the parts is the next pass over `batches` (pass.h). Workers that
// have made different numbers of passes must agree before they begin one, as
// the datasets of a strategy do (distribute/input/agreed_end.h).
//
// Errors: NotFound for kFile and a source that reads no files, or a
// transformation that needs the elements of all files, as Scan (kAuto is kData
// then); InvalidArgument
// for kFile or kAuto and fewer files than workers, on every worker, so that no
// worker waits for another; InvalidArgument for elements without a fixed order
// (MapOptions::deterministic) that workers would divide, under kData and, before
// a Shard, under kHint and kFile.
Dataset AutoShard(const Dataset& batches, const InputShard& shard);

// The elements for one of several workers that read all data once, as to count
// it: whole elements, of any form, in place of parts of batches. Under kData
// worker w has elements w, w + workers, ...; the other policies are as above.
// Errors: as above.
Dataset ShardElements(const Dataset& dataset, const InputShard& shard);

// How a dataset is divided among workers.
struct Sharding {
  // Never kAuto, but the policy that it resolves to. Under kData all workers
  // read the same batches, each only for its own parts.
  AutoShardPolicy policy = AutoShardPolicy::kOff;
  // What must be the same on all workers, as text: the policy and, except under
  // kOff, a summary of the pipeline: "DATA of Batch[2](Range[8])".
  std::string description = "OFF";
};

Sharding DescribeSharding(const Dataset& batches, const InputShard& shard);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_SHARDING_AUTO_SHARD_H_
