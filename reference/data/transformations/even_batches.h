// Batches that divide among replicas, whatever the number of examples.
//
//   Dataset::Range(5), batches of 4 for 2 replicas:
//   EvenBatches(examples, {.batch_size = 4, .shares = 2, .padding = first});
//                                        // [0, 1, 2, 3], [4, 0]
//   EvenBatches(examples, {.batch_size = 4, .shares = 2});
//                                        // [0, 1, 2, 3]
//
// DistributeDataset divides any batch, and models weigh examples, not shares.
// Use this only if shares must have the same size.
#ifndef LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_EVEN_BATCHES_H_
#define LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_EVEN_BATCHES_H_

#include <cstdint>
#include <optional>

#include "reference/data/dataset.h"
#include "reference/tensor/nest.h"

namespace lockstep {

struct EvenBatchOptions {
  int64_t batch_size = 1;
  int64_t shares = 1;
  bool drop_remainder = false;  // drop a smaller last batch
  // Rows to fill up a batch with, from the first one on, repeated if there are
  // too few. Without them the last rows of a batch are dropped.
  std::optional<Structure> padding = std::nullopt;
};

// Batches whose rows divide evenly among the shares. Empty batches are dropped.
// Errors: InvalidArgument for numbers below 1, for padding without rows, and,
// if rows are dropped, for a dataset of unknown cardinality.
Dataset EvenBatches(const Dataset& examples, const EvenBatchOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_EVEN_BATCHES_H_
