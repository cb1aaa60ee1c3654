// An iterator of a program that is built before it runs, as in TensorFlow 1. It
// must be initialised before it is read, and restarts when it is initialised
// again.
//
//   InputIterator inputs = MakeDatasetIterator(strategy, dataset.Batch(128));
//   for (int epoch = 0; epoch < 10; ++epoch) {
//     inputs.Initialize();
//     while (...) inputs.GetNext();
//   }
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_GRAPH_MODE_INPUT_ITERATOR_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_GRAPH_MODE_INPUT_ITERATOR_H_

#include <memory>

#include "reference/data/dataset.h"
#include "reference/distribute/input/distributed_dataset.h"
#include "reference/distribute/per_replica.h"
#include "reference/distribute/strategy.h"
#include "reference/tensor/nest.h"

namespace lockstep {

// A handle: copies refer to the same iterator.
class InputIterator {
 public:
  explicit InputIterator(DistributedDataset inputs);

  // Begins a pass.
  void Initialize() const;
  // The replicas' parts of the next batch. Errors: FailedPrecondition before
  // Initialize and inside Run; OutOfRange at the end, until the next
  // Initialize.
  PerReplica<Structure> GetNext() const;
  // One spec per replica.
  PerReplica<SpecStructure> element_spec() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Batches of the global batch size, divided equally among the replicas. Errors:
// those of Strategy::DistributeDataset.
InputIterator MakeDatasetIterator(const Strategy& strategy,
                                  const Dataset& dataset);

// Whole batches for each replica, from the dataset that `input_fn` makes for
// this worker. Errors: those of Strategy::DistributeDatasetsFromFunction.
InputIterator MakeInputFnIterator(const Strategy& strategy,
                                  const DatasetFunction& input_fn);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_GRAPH_MODE_INPUT_ITERATOR_H_
