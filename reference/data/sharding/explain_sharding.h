// What AutoShard made of a dataset, for people.
#ifndef LOCKSTEP_REFERENCE_DATA_SHARDING_EXPLAIN_SHARDING_H_
#define LOCKSTEP_REFERENCE_DATA_SHARDING_EXPLAIN_SHARDING_H_

#include <string>

#include "reference/data/dataset.h"
#include "reference/data/sharding/auto_shard.h"

namespace lockstep {

// The policy, why it is that one, and the pipeline that the worker reads, with
// a note at each operation that is not the program's. Worker 1 of 2, with one
// replica each:
//
//   const Dataset batches = Dataset::Range(20).Batch(8);
//   ExplainSharding(batches, AutoShard(batches, shard), shard);
//   // auto_shard_policy: DATA (AUTO, and Range reads no files)
//   // Rebatch(parts=2, first=1, kept=1)  # each batch in 2 parts, one for each
//   //                       replica of all workers; worker 1 keeps part 1
//   //   Batch(size=8)
//   //     Range(stop=20)
//
// Errors: those of AutoShard. REQUIRES: `parts` is what it returned.
std::string ExplainSharding(const Dataset& batches, const Dataset& parts,
                            const InputShard& shard);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_SHARDING_EXPLAIN_SHARDING_H_
