#include "reference/metrics/named_metric.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/naming/find_named.h"
#include "reference/metrics/accuracy.h"
#include "reference/metrics/auc.h"
#include "reference/metrics/f1_score.h"

namespace lockstep {
namespace {

struct Entry {
  std::vector<std::string_view> names;
  std::shared_ptr<Metric> (*make)(std::string name);
};

template <typename T>
std::shared_ptr<Metric> Make(std::string name) {
  return std::make_shared<T>(std::move(name));
}

std::shared_ptr<Metric> MakeTopK(std::string name) {
  return std::make_shared<SparseTopKCategoricalAccuracy>(5, std::move(name));
}

std::shared_ptr<Metric> MakeAuc(std::string name) {
  return std::make_shared<Auc>(AucOptions{.name = std::move(name)});
}

const Entry& EntryOf(std::string_view name) {
  static const auto* table = new std::vector<Entry>{
      {{"binary_accuracy", "BinaryAccuracy"}, Make<BinaryAccuracy>},
      {{"categorical_accuracy", "CategoricalAccuracy"},
       Make<CategoricalAccuracy>},
      {{"sparse_categorical_accuracy", "SparseCategoricalAccuracy"},
       Make<SparseCategoricalAccuracy>},
      {{"sparse_top_k_categorical_accuracy", "SparseTopKCategoricalAccuracy"},
       MakeTopK},
      {{"mean_squared_error", "MeanSquaredError", "mse", "MSE"},
       Make<MeanSquaredError>},
      {{"root_mean_squared_error", "RootMeanSquaredError"},
       Make<RootMeanSquaredError>},
      {{"mean_absolute_error", "MeanAbsoluteError", "mae", "MAE"},
       Make<MeanAbsoluteError>},
      {{"precision", "Precision"}, Make<Precision>},
      {{"recall", "Recall"}, Make<Recall>},
      {{"f1_score", "F1Score"}, Make<F1Score>},
      {{"auc", "AUC"}, MakeAuc},
      {{"true_positives", "TruePositives"}, Make<TruePositives>}};
  return FindNamed("[Metric]", name, *table);
}

}  // namespace

std::shared_ptr<Metric> NamedMetric(std::string_view name) {
  if (IsAccuracyName(name)) {
    throw InvalidArgument(
        "[Metric] which metric '{}' is depends on the shapes: AccuracyFor",
        name);
  }
  return EntryOf(name).make(std::string(name));
}

void CheckMetricName(std::string_view name) {
  if (!IsAccuracyName(name)) EntryOf(name);
}

bool IsAccuracyName(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return std::tolower(c); });
  return lower == "accuracy" || lower == "acc";
}

std::shared_ptr<Metric> AccuracyFor(const Shape& labels,
                                    const Shape& predictions,
                                    const std::string& name) {
  if (predictions.rank() == 0) {
    throw InvalidArgument("[Metric] '{}' of predictions without an axis", name);
  }
  const auto last = [](const Shape& shape) { return shape[shape.rank() - 1]; };
  if (last(predictions) == 1) return Make<BinaryAccuracy>(name);
  const bool sparse = labels.rank() < predictions.rank() || last(labels) == 1;
  return sparse ? Make<SparseCategoricalAccuracy>(name)
                : Make<CategoricalAccuracy>(name);
}

}  // namespace lockstep
