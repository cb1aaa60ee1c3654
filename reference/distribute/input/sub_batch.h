// How a global batch is divided among replicas.
//
// Each batch is divided as it comes, also a short one: the first replicas get
// ceil(size / replicas) rows each until none are left, so late ones may have
// fewer or none. Every leaf is divided by its own size; nothing is copied.
//
//   SubBatch([0, 1, 2, 3], /*replicas=*/3, 0)   // [0, 1]
//   SubBatch([0, 1, 2, 3], /*replicas=*/3, 2)   // [] of shape (0,)
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_SUB_BATCH_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_SUB_BATCH_H_

#include "reference/tensor/nest.h"

namespace lockstep::distribute_internal {

// Errors: InvalidArgument for a scalar leaf, naming `batch` as the remedy.
// REQUIRES: 0 <= replica < replicas.
Structure SubBatch(const Structure& batch, int replicas, int replica);

// The same for specs: a first dimension that is known and divisible is divided,
// any other is unknown. Errors as SubBatch.
SpecStructure SubBatchSpec(const SpecStructure& batch, int replicas);

// An element like `example` with no rows. Errors: InvalidArgument for a scalar
// leaf, naming `batch` as the remedy.
Structure EmptyLike(const Structure& example);

}  // namespace lockstep::distribute_internal

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_SUB_BATCH_H_
