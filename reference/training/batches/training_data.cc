#include "reference/training/batches/training_data.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/autodiff/ops/math_ops.h"
#include "reference/autodiff/variable.h"
#include "reference/base/error.h"
#include "reference/layers/initializers.h"

namespace lockstep {
namespace {

Structure RowsOf(const Structure& arrays, int64_t begin, int64_t end) {
  return arrays.Map<Tensor>(
      [&](const Tensor& array) { return array.Slice(begin, end); });
}

Batch RowsOf(const Batch& arrays, int64_t begin, int64_t end) {
  Batch rows{.x = RowsOf(arrays.x, begin, end)};
  if (arrays.y) rows.y = RowsOf(*arrays.y, begin, end);
  if (arrays.sample_weight) {
    rows.sample_weight = RowsOf(*arrays.sample_weight, begin, end);
  }
  return rows;
}

// One weight per label. Errors: InvalidArgument if the labels are not a tensor of
// one number per example.
Tensor WeightsOf(const Structure& y, const std::map<int64_t, double>& weights) {
  const Tensor labels = y.leaf().Cast(DType::kInt64).ToHost();
  const int64_t rows = labels.rank() == 0 ? 0 : labels.dim(0);
  if (labels.num_elements() != rows) {
    throw InvalidArgument(
        "[Fit] class weights need one label per example, got labels {}",
        Describe(labels));
  }
  std::vector<float> of_rows;
  of_rows.reserve(rows);
  for (const int64_t label : labels.span<int64_t>()) {
    const auto found = weights.find(label);
    of_rows.push_back(
        found == weights.end() ? 1.0f : static_cast<float>(found->second));
  }
  return Tensor::FromVector(of_rows);
}

// Multiplies the examples' weights by the weights of their classes.
Structure WeighClasses(const Structure& element,
                       const std::map<int64_t, double>& weights) {
  Batch batch = TakeApart(element);
  if (!batch.y) throw InvalidArgument("[Fit] class weights need labels");
  const Tensor of_classes = WeightsOf(*batch.y, weights);
  if (batch.sample_weight) {
    const Tensor given = batch.sample_weight->leaf().Cast(DType::kFloat32);
    batch.sample_weight =
        ops::Multiply(given, of_classes.Reshape(given.shape()));
  } else {
    batch.sample_weight = of_classes;
  }
  return PutTogether(batch);
}

// A seed for an order that is the same on all workers: the chief's, as for a
// variable.
uint64_t AgreedSeed(Strategy& strategy) {
  const uint64_t seed = NextRandomStream().Next64();
  if (strategy.topology().num_workers() == 1) return seed;
  const StrategyScope scope = strategy.Scope();
  const VariablePtr agreed = strategy.CreateVariable(
      {.initial_value =
           [&] { return Tensor::Scalar(static_cast<int64_t>(seed)); },
       .name = "shuffle_seed",
       .trainable = false});
  return static_cast<uint64_t>(agreed->Read().item<int64_t>());
}

}  // namespace

// Constructed in place: after a move, g++ 12 with a sanitizer warns that the other
// members are uninitialized.
TrainingData::TrainingData(const Tensor& x) : data_(std::in_place_type<Batch>) {
  std::get<Batch>(data_).x = x;
}

TrainingData::TrainingData(const Structure& x, const Structure& y)
    : data_(std::in_place_type<Batch>) {
  std::get<Batch>(data_).x = x;
  std::get<Batch>(data_).y = y;
}

TrainingData::TrainingData(const Structure& x, const Structure& y,
                           const Structure& sample_weight)
    : TrainingData(x, y) {
  std::get<Batch>(data_).sample_weight = sample_weight;
}

std::pair<TrainingData, TrainingData> TrainingData::Split(double share) const {
  if (!is_arrays()) {
    throw InvalidArgument(
        "[Fit] validation_split needs arrays; give validation_data for a "
        "dataset");
  }
  if (!(share > 0 && share < 1)) {
    throw InvalidArgument("[Fit] validation_split must be in (0, 1), got {}",
                          share);
  }
  const Batch& arrays = std::get<Batch>(data_);
  const int64_t rows = this->rows();
  const auto first =
      static_cast<int64_t>(std::floor(static_cast<double>(rows) * (1 - share)));
  if (first == 0 || first == rows) {
    throw InvalidArgument(
        "[Fit] validation_split {} of {} examples leaves none for {}", share,
        rows, first == 0 ? "training" : "validation");
  }
  return {TrainingData(RowsOf(arrays, 0, first)),
          TrainingData(RowsOf(arrays, first, rows))};
}

Dataset TrainingData::Batches(Strategy& strategy,
                              const Batching& batching) const {
  if (const auto* dataset = std::get_if<Dataset>(&data_)) return *dataset;
  const Structure arrays = PutTogether(std::get<Batch>(data_));
  Dataset examples = Dataset::FromTensorSlices(arrays);
  if (batching.shuffle) {
    examples = examples.Shuffle(std::max<int64_t>(Rows(arrays), 1),
                                AgreedSeed(strategy));
  }
  return examples.Batch(batching.batch_size);
}

DistributedDataset TrainingData::Distribute(Strategy& strategy,
                                            const Batching& batching) const {
  const auto* distributed = std::get_if<DistributedDataset>(&data_);
  const auto* place = std::get_if<std::shared_ptr<InputPlace>>(&data_);
  if (place) distributed = &(*place)->data();
  if (distributed || creator() != nullptr) {
    if (!batching.class_weight.empty()) {
      throw InvalidArgument(
          "[Fit] class weights need a dataset that is not distributed yet");
    }
    if (distributed) return *distributed;
    return strategy.DistributeDatasetsFromFunction(creator()->function());
  }
  Dataset batches = Batches(strategy, batching);
  if (!batching.class_weight.empty()) {
    batches = batches.Map(
        [weights = batching.class_weight](const Structure& element) {
          return WeighClasses(element, weights);
        });
  }
  if (batching.in_order && strategy.topology().num_workers() > 1) {
    batches =
        batches.WithOptions({.auto_shard_policy = AutoShardPolicy::kData});
  }
  return strategy.DistributeDataset(batches);
}

std::shared_ptr<InputPlace> TrainingData::PlaceIn(
    Strategy& strategy, const Batching& batching) const {
  DistributedDataset distributed = Distribute(strategy, batching);
  const auto* place = std::get_if<std::shared_ptr<InputPlace>>(&data_);
  return place ? *place : std::make_shared<InputPlace>(std::move(distributed));
}

}  // namespace lockstep
