// For strategies whose replicas do not get their input as others do: with
// several input pipelines in one process, or with rules for what it may be.
//
//   class PodStrategy : public MirroringStrategy, public OwnInput {...};
//
// Strategy::DistributeDataset and DistributeDatasetsFromFunction call it, in
// cross-replica context, in place of the functions of distributed_dataset.h.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_OWN_INPUT_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_OWN_INPUT_H_

#include "reference/data/dataset.h"
#include "reference/distribute/input/distributed_dataset.h"

namespace lockstep {

class OwnInput {
 public:
  virtual DistributedDataset MakeInput(const Dataset& dataset,
                                       const InputOptions& options) const = 0;
  virtual DistributedDataset MakeInput(const DatasetFunction& function,
                                       const InputOptions& options) const = 0;

 protected:
  ~OwnInput() = default;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_OWN_INPUT_H_
