// How a global batch is divided among replicas.
//
// Each batch is divided by itself, also a short one: the first replicas get
// ceil(size / replicas) rows each until none are left, so the last ones may get
// fewer or none. Every leaf is divided by its own size, as in TensorFlow.
// A ragged batch (ragged/ragged.h) is divided by its rows. Values are not copied.
//
//   SubBatch([0, 1, 2, 3], /*replicas=*/3, 0)   // [0, 1]
//   SubBatch([0, 1, 2, 3], /*replicas=*/3, 2)   // [] of shape (0,)
//
// Error messages name DistributeDataset, the function that a program calls.
#ifndef LOCKSTEP_REFERENCE_DATA_REBATCH_H_
#define LOCKSTEP_REFERENCE_DATA_REBATCH_H_

#include <cstdint>

#include "reference/tensor/nest.h"

namespace lockstep::data_internal {

// Each batch is divided into `parts` parts, of which `kept` are kept, from
// `first` on. REQUIRES: 0 <= first, 1 <= kept, first + kept <= parts.
struct Division {
  int64_t parts = 1;
  int64_t first = 0;
  int64_t kept = 1;

  int64_t end() const { return first + kept; }
};

// Rows [begin, end) of part `part` out of `rows`.
struct RowRange {
  int64_t begin = 0;
  int64_t end = 0;
};
RowRange RowsOfPart(int64_t rows, int64_t parts, int64_t part);

// Errors: InvalidArgument for a scalar leaf; the message recommends `batch`.
void CheckBatched(const Structure& element);

// Errors: as CheckBatched. REQUIRES: 0 <= replica < replicas.
Structure SubBatch(const Structure& batch, int64_t replicas, int64_t replica);

// The same for specs: a first dimension that is known and divisible is divided,
// any other becomes unknown. Errors: as SubBatch.
SpecStructure SubBatchSpec(const SpecStructure& batch, int64_t replicas);

// An element like `example` with no rows. Errors: as CheckBatched.
Structure EmptyLike(const Structure& example);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_REBATCH_H_
