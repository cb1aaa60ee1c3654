// Batches that divide among replicas, whatever the number of examples.
//
//   Dataset::Range(5), batches of 4 for 2 replicas:
//   EvenBatches(examples, {.batch_size = 4, .shares = 2, .padding = first});
//                                        // [0, 1, 2, 3], [4, 0]
//   EvenBatches(examples, {.batch_size = 4, .shares = 2});
//                                        // [0, 1, 2, 3]
//
// DistributeDataset divides any batch, and models weigh examples, not shares; so
// this is for who wants shares of one size for their own sake.
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
  bool drop_remainder = false;  // leave out a last batch that is smaller
  // Rows that a batch is filled up with, the first of them first, and again where
  // they are too few. Without: the last rows of a batch are left out.
  std::optional<Structure> padding = std::nullopt;
};

// Batches of whose rows each share gets as many; without rows there is no batch.
// Errors: InvalidArgument for numbers below 1, for padding without rows, and,
// where rows are left out, for a dataset that does not know how many it has.
Dataset EvenBatches(const Dataset& examples, const EvenBatchOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_EVEN_BATCHES_H_
