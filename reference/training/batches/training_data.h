// What a model is trained, measured or asked with: a dataset of batches, a
// distributed one, or whole arrays.
//
//   model.Fit(dataset.Batch(64));            // elements x, (x, y), (x, y, w)
//   model.Fit({images, labels}, {.batch_size = 64});
//   model.Fit(strategy.DistributeDataset(dataset));
//   model.Fit(place);                        // from there on (input_place.h)
#ifndef LOCKSTEP_REFERENCE_TRAINING_BATCHES_TRAINING_DATA_H_
#define LOCKSTEP_REFERENCE_TRAINING_BATCHES_TRAINING_DATA_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "reference/data/dataset.h"
#include "reference/distribute/input/distributed_dataset.h"
#include "reference/distribute/strategy.h"
#include "reference/tensor/nest.h"
#include "reference/training/batches/batch.h"
#include "reference/training/batches/input_place.h"

namespace lockstep {

// How arrays become batches, and labels weights.
struct Batching {
  int64_t batch_size = 32;  // of all replicas together
  bool shuffle = false;     // anew each epoch, on all workers alike
  // Of several workers each reads all files, as otherwise they may not, and
  // takes its part of each batch: so there is an order of all examples.
  bool in_order = false;
  // How much the examples of a label count: their weights are multiplied by it;
  // 1 for other labels.
  std::map<int64_t, double> class_weight = {};
};

class TrainingData {
 public:
  TrainingData(Dataset dataset) : data_(std::move(dataset)) {}  // NOLINT
  TrainingData(DistributedDataset dataset)                      // NOLINT
      : data_(std::move(dataset)) {}
  // Fit reads on at the place; Evaluate and Predict too, to the end of the pass.
  // REQUIRES: not nullptr.
  TrainingData(std::shared_ptr<InputPlace> place)  // NOLINT
      : data_(std::move(place)) {}
  // Inputs alone, as predictions want them.
  TrainingData(const Tensor& x);  // NOLINT
  TrainingData(const Structure& x, const Structure& y);
  TrainingData(const Structure& x, const Structure& y,
               const Structure& sample_weight);
  explicit TrainingData(Batch arrays) : data_(std::move(arrays)) {}

  // Whole arrays, not yet batches.
  bool is_arrays() const { return std::holds_alternative<Batch>(data_); }
  // Their examples. REQUIRES: is_arrays().
  int64_t rows() const { return Rows(PutTogether(std::get<Batch>(data_))); }

  // The first 1 - `share` of the examples of arrays, in their order and rounded
  // down, and the others. Errors: InvalidArgument for a share that is not
  // between 0 and 1, for what is no array, and where one part would be empty.
  std::pair<TrainingData, TrainingData> Split(double share) const;

  // Batches for the strategy's replicas. Errors: InvalidArgument for class
  // weights of a distributed dataset and a batch size below 1; those of
  // DistributeDataset.
  DistributedDataset Distribute(Strategy& strategy,
                                const Batching& batching) const;
  // The same with a place in them: at the beginning, but for one that was given.
  std::shared_ptr<InputPlace> PlaceIn(Strategy& strategy,
                                      const Batching& batching) const;

 private:
  Dataset Batches(Strategy& strategy, const Batching& batching) const;

  std::variant<Dataset, DistributedDataset, std::shared_ptr<InputPlace>, Batch>
      data_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_BATCHES_TRAINING_DATA_H_
