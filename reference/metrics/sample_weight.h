// Sample weights as metrics take them, looked up element by element.
#ifndef LOCKSTEP_REFERENCE_METRICS_SAMPLE_WEIGHT_H_
#define LOCKSTEP_REFERENCE_METRICS_SAMPLE_WEIGHT_H_

#include <optional>

#include "reference/tensor/tensor.h"

namespace lockstep {

//   RowWeights weight(Shape{2, 3}, Tensor::FromVector<float>({1, 5}));
//   weight[2];   // 1: element 2 lies in row 0
//   weight[3];   // 5
class RowWeights {
 public:
  // Without weights every element weighs 1. Errors: InvalidArgument unless the
  // weights are a scalar, have the values' shape, or one element (or a row of
  // one) for each row of axis 0.
  RowWeights(const Shape& values, const std::optional<Tensor>& weights);

  double operator[](int64_t element) const {
    return weights_.defined() ? weights_.at<float>(element / elements_each_)
                              : 1.0;
  }

 private:
  Tensor weights_;  // float32, or undefined
  int64_t elements_each_ = 1;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_METRICS_SAMPLE_WEIGHT_H_
