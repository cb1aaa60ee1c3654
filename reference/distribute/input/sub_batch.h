// How a global batch is divided among replicas.
//
// Each batch is divided as it comes, also a short one: the first replicas get
// ceil(size / replicas) rows each until none are left, so late ones may have
// fewer or none. Every leaf is divided by its own size, as TensorFlow does it;
// nothing is copied.
//
//   SubBatch([0, 1, 2, 3], /*replicas=*/3, 0)   // [0, 1]
//   SubBatch([0, 1, 2, 3], /*replicas=*/3, 2)   // [] of shape (0,)
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_SUB_BATCH_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_SUB_BATCH_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "reference/tensor/nest.h"

namespace lockstep::distribute_internal {

// Errors: InvalidArgument for a scalar leaf, naming `batch` as the remedy.
void CheckBatched(const Structure& element);

// Errors: as CheckBatched. REQUIRES: 0 <= replica < replicas.
Structure SubBatch(const Structure& batch, int replicas, int replica);

// The numbers of rows of the first leaf and of the first one that has another,
// whose parts need not belong together; nullopt where all have the same.
// REQUIRES: no scalar leaf.
std::optional<std::pair<int64_t, int64_t>> FindUnequalRows(
    const Structure& batch);

// The same for specs: a first dimension that is known and divisible is divided,
// any other is unknown. Errors as SubBatch.
SpecStructure SubBatchSpec(const SpecStructure& batch, int replicas);

// An element like `example` with no rows. Errors: InvalidArgument for a scalar
// leaf, naming `batch` as the remedy.
Structure EmptyLike(const Structure& example);

}  // namespace lockstep::distribute_internal

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_SUB_BATCH_H_
