// The data for training, evaluation or prediction: a dataset of batches, a
// distributed dataset, or whole arrays.
//
//   model.Fit(dataset.Batch(64));            // elements x, (x, y), (x, y, w)
//   model.Fit({images, labels}, {.batch_size = 64});
//   model.Fit(strategy.DistributeDataset(dataset));
//   model.Fit(DatasetCreator("train", function));        // dataset_creator.h
//   model.Fit(place);                        // continues at a position (input_place.h)
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
#include "reference/training/batches/dataset_creator.h"
#include "reference/training/batches/input_place.h"

namespace lockstep {

// How to make batches of arrays, and weights of labels.
struct Batching {
  int64_t batch_size = 32;  // over all replicas
  bool shuffle = false;  // differently in each epoch; the same on all workers
  // Makes each worker read all files and take its part of each batch, so that all
  // examples have an order. Otherwise each worker may read some of the files.
  bool in_order = false;
  // By label, a factor of the examples' weights; 1 for other labels.
  std::map<int64_t, double> class_weight = {};
};

class TrainingData {
 public:
  TrainingData(Dataset dataset) : data_(std::move(dataset)) {}  // NOLINT
  TrainingData(DistributedDataset dataset)                      // NOLINT
      : data_(std::move(dataset)) {}
  TrainingData(DatasetCreator creator)  // NOLINT
      : data_(std::move(creator)) {}
  // Fit continues at the position; so do Evaluate and Predict, to the end of the
  // pass. REQUIRES: not nullptr.
  TrainingData(std::shared_ptr<InputPlace> place)  // NOLINT
      : data_(std::move(place)) {}
  // Only inputs, for predictions.
  TrainingData(const Tensor& x);  // NOLINT
  TrainingData(const Structure& x, const Structure& y);
  TrainingData(const Structure& x, const Structure& y,
               const Structure& sample_weight);
  explicit TrainingData(Batch arrays) : data_(std::move(arrays)) {}

  // nullptr for other data.
  const DatasetCreator* creator() const {
    return std::get_if<DatasetCreator>(&data_);
  }
  // Whether it has whole arrays.
  bool is_arrays() const { return std::holds_alternative<Batch>(data_); }
  // The number of examples. REQUIRES: is_arrays().
  int64_t rows() const { return Rows(PutTogether(std::get<Batch>(data_))); }

  // Splits arrays into the first 1 - `share` of the examples, rounded down, and the
  // others. Errors: InvalidArgument if the share is not between 0 and 1, it has no
  // arrays, or a part would be empty.
  std::pair<TrainingData, TrainingData> Split(double share) const;

  // Distributes the batches among the strategy's replicas. Errors: InvalidArgument if
  // there are class weights for a distributed dataset, or the batch size is below 1;
  // those of DistributeDataset.
  DistributedDataset Distribute(Strategy& strategy,
                                const Batching& batching) const;
  // The same with a position: the given one, or the begin.
  std::shared_ptr<InputPlace> PlaceIn(Strategy& strategy,
                                      const Batching& batching) const;

 private:
  Dataset Batches(Strategy& strategy, const Batching& batching) const;

  std::variant<Dataset, DistributedDataset, std::shared_ptr<InputPlace>, Batch,
               DatasetCreator>
      data_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_BATCHES_TRAINING_DATA_H_
