// Sample weights as metrics take them.
#ifndef LOCKSTEP_REFERENCE_METRICS_SAMPLE_WEIGHT_H_
#define LOCKSTEP_REFERENCE_METRICS_SAMPLE_WEIGHT_H_

#include <cstdint>
#include <optional>

#include "reference/tensor/tensor.h"

namespace lockstep {

//   const Tensor values = Tensor::Zeros(Shape{2, 3});
//   RowWeights weights(values, Tensor::FromVector<float>({1, 5}));
//   weights.elements_each();   // 3: each weight is that of a row
class RowWeights {
 public:
  // Without weights every element weighs 1. Errors: InvalidArgument unless the
  // weights are a scalar, have the values' shape, or one element (or a row of
  // one) for each row of axis 0.
  RowWeights(const Tensor& values, const std::optional<Tensor>& weights);

  // Element i weighs weights()[i / elements_each()]: float32 where the values
  // are, or undefined.
  const Tensor& weights() const { return weights_; }
  int64_t elements_each() const { return elements_each_; }

 private:
  Tensor weights_;
  int64_t elements_each_ = 1;
};

// The sum of the values, each times its weight, and the sum of the weights, as
// a float32 tensor of two where the values are. Errors: as RowWeights, and
// InvalidArgument for values that are no numbers.
Tensor WeightedSums(const Tensor& values,
                    const std::optional<Tensor>& sample_weight);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_METRICS_SAMPLE_WEIGHT_H_
