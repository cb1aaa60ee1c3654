#include "reference/losses/named_loss.h"

#include <vector>

#include "reference/base/naming/find_named.h"
#include "reference/losses/cross_entropy.h"
#include "reference/losses/regression_losses.h"

namespace lockstep::losses {
namespace {

struct NamedLoss {
  std::vector<std::string_view> names;
  std::shared_ptr<const Loss> (*make)();
};

template <typename T>
std::shared_ptr<const Loss> Make() {
  return std::make_shared<T>();
}

}  // namespace

std::shared_ptr<const Loss> Named(std::string_view name) {
  static const auto* table = new std::vector<NamedLoss>{
      {{"binary_crossentropy", "BinaryCrossentropy", "bce", "BCE"},
       Make<BinaryCrossentropy>},
      {{"categorical_crossentropy", "CategoricalCrossentropy"},
       Make<CategoricalCrossentropy>},
      {{"sparse_categorical_crossentropy", "SparseCategoricalCrossentropy"},
       Make<SparseCategoricalCrossentropy>},
      {{"mean_squared_error", "MeanSquaredError", "mse", "MSE"},
       Make<MeanSquaredError>},
      {{"mean_absolute_error", "MeanAbsoluteError", "mae", "MAE"},
       Make<MeanAbsoluteError>}};
  return FindNamed("[Loss]", name, *table).make();
}

}  // namespace lockstep::losses
