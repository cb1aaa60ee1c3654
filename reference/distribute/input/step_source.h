// Where the steps of a distributed dataset come from.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_STEP_SOURCE_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_STEP_SOURCE_H_

#include <cstdint>
#include <memory>

#include "reference/data/stream.h"
#include "reference/distribute/per_replica.h"
#include "reference/tensor/nest.h"

namespace lockstep::distribute_internal {

// What one step hands to the replicas.
using Step = PerReplica<Structure>;

class StepSource {
 public:
  virtual ~StepSource() = default;

  virtual PerReplica<SpecStructure> element_spec() const = 0;
  // In steps.
  virtual int64_t cardinality() const = 0;
  // Starts a pass.
  virtual data_internal::StreamPtr<Step> Open() const = 0;
};

using StepSourcePtr = std::shared_ptr<const StepSource>;

}  // namespace lockstep::distribute_internal

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_STEP_SOURCE_H_
