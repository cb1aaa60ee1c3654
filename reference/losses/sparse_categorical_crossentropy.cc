#include "reference/losses/sparse_categorical_crossentropy.h"

#include "reference/autodiff/ops/match_ranks.h"
#include "reference/autodiff/ops/reshape.h"
#include "reference/autodiff/ops/softmax.h"
#include "reference/autodiff/ops/unary.h"
#include "reference/base/error.h"

namespace lockstep::losses {
namespace {

constexpr double kSmallestProbability = 1e-7;  // Keras' epsilon

Tensor IntegerLabels(const Tensor& labels) {
  return IsInteger(labels.dtype()) ? labels : labels.Cast(DType::kInt64);
}

}  // namespace

Tensor SparseCategoricalCrossentropy::Call(const Tensor& y_true,
                                           const Tensor& y_pred) const {
  const int classes_axis = y_pred.rank() - 1;
  const Tensor labels = ops::SqueezeTo(IntegerLabels(y_true), classes_axis);
  if (classes_axis < 1 ||
      labels.shape() != Shape(y_pred.shape().dims().first(classes_axis))) {
    throw InvalidArgument(
        "[{}] labels [...] go with predictions [..., classes], got {} and {}",
        name(), Describe(y_true), Describe(y_pred));
  }
  // Elements of an example, such as pixels, are more examples to the kernel.
  const int64_t count = labels.num_elements();
  const Tensor rows =
      y_pred.rank() == 2
          ? y_pred
          : ops::Reshape(y_pred, Shape{count, y_pred.dim(classes_axis)});
  const Tensor logits =
      from_logits_ ? rows
                   : ops::Log(ops::ClipByValue(rows, kSmallestProbability,
                                               1 - kSmallestProbability));
  const Tensor losses =
      ops::SparseSoftmaxCrossEntropy(logits, labels.Reshape(Shape{count}));
  return labels.rank() == 1 ? losses : ops::Reshape(losses, labels.shape());
}

}  // namespace lockstep::losses
