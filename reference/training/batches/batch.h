// The parts of a batch: inputs, labels, and weights of the examples.
//
//   Batch batch = TakeApart(element);   // x, (x,), (x, y) or (x, y, weights)
//   model(batch.x);
//   Rows(batch.x);                      // examples
#ifndef LOCKSTEP_REFERENCE_TRAINING_BATCHES_BATCH_H_
#define LOCKSTEP_REFERENCE_TRAINING_BATCHES_BATCH_H_

#include <cstdint>
#include <optional>

#include "reference/distribute/per_replica.h"
#include "reference/tensor/nest.h"

namespace lockstep {

struct Batch {
  Structure x;
  std::optional<Structure> y = std::nullopt;
  std::optional<Structure> sample_weight = std::nullopt;
};

// Splits a tuple of one to three; anything else is inputs. Errors: InvalidArgument
// if the tuple is empty or longer.
Batch TakeApart(const Structure& element);

// Splits each replica's element.
PerReplica<Batch> TakeApart(const PerReplica<Structure>& element);

// The inverse: returns (x,), (x, y) or (x, y, weights).
Structure PutTogether(const Batch& batch);

// The length of axis 0 of all tensors. Errors: InvalidArgument if there is no
// tensor, or the lengths differ.
int64_t Rows(const Structure& structure);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_BATCHES_BATCH_H_
