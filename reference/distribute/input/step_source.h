// What makes the steps of a distributed dataset (step_sources.h).
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_STEP_SOURCE_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_STEP_SOURCE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reference/data/dataset_node.h"
#include "reference/data/sharding/auto_shard.h"
#include "reference/distribute/per_replica.h"
#include "reference/tensor/nest.h"

namespace lockstep::distribute_internal {

// The parts of one step.
using Step = PerReplica<Structure>;

// The source of a distributed dataset's steps.
class StepSource {
 public:
  virtual ~StepSource() = default;

  virtual PerReplica<SpecStructure> element_spec() const = 0;
  // In steps.
  virtual int64_t cardinality() const = 0;
  // With the other workers. Under kData all have the same number of steps.
  virtual Sharding sharding() const { return {}; }
  // Begins a pass.
  virtual data_internal::ReaderPtr<Step> Open() const = 0;
  // The pipelines that a pass reads.
  virtual std::vector<data_internal::NodePtr> pipelines() const = 0;
  // The datasets of the program that the steps are made of, which do not depend
  // on the number of replicas.
  virtual std::vector<data_internal::NodePtr> datasets() const {
    return pipelines();
  }
  // Where elements come from and go to, for people.
  virtual std::string Explain() const = 0;
};

using StepSourcePtr = std::shared_ptr<const StepSource>;

// The operations of the datasets: "Batch(Shuffle(Range))". Equal texts count
// once: their number is that of the replicas.
std::string PipelineOf(const StepSource& source);
// Checks that a position saved of the pipeline `saved` is one of `source`.
// Errors: InvalidArgument, led by `operation`.
void CheckSamePipeline(std::string_view operation, std::string_view saved,
                       const StepSource& source);

}  // namespace lockstep::distribute_internal

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_INPUT_STEP_SOURCE_H_
