// What a batch is made of: inputs, then labels, then weights of the examples.
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

// A tuple of one to three; anything else is inputs. Errors: InvalidArgument for
// a longer tuple or an empty one.
Batch TakeApart(const Structure& element);

// That of each replica.
PerReplica<Batch> TakeApart(const PerReplica<Structure>& element);

// The other way: (x,), (x, y) or (x, y, weights).
Structure PutTogether(const Batch& batch);

// The length of axis 0 of the first tensor. Errors: InvalidArgument where there
// is none, and for other lengths beside it.
int64_t Rows(const Structure& structure);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_BATCHES_BATCH_H_
