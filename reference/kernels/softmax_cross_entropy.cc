#include "reference/kernels/softmax_cross_entropy.h"

#include "reference/base/thread_team.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/cpu/softmax_row.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/in_float32.h"
#include "reference/kernels/visit_arithmetic.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

void CheckArguments(const Tensor& scores, const Tensor& labels) {
  kernels_internal::CheckFloating("SoftmaxCrossEntropy", "logits", scores);
  kernels_internal::CheckRank("SoftmaxCrossEntropy", "logits", scores, 2);
  kernels_internal::CheckAlike("SoftmaxCrossEntropy", scores, labels);
}

// Loss of one row; writes its softmax.
template <typename T>
T RowLoss(const T* logits, const T* labels, T* softmax, int64_t classes) {
  const double log_sum = kernels_internal::SoftmaxRow(logits, softmax, classes);
  double loss = 0;
  for (int64_t j = 0; j < classes; ++j) {
    // A class of probability 0 costs nothing, even where its logit is -inf.
    if (labels[j] != 0) loss += labels[j] * (log_sum - logits[j]);
  }
  return static_cast<T>(loss);
}

}  // namespace

CrossEntropyResult SoftmaxCrossEntropy(const Tensor& logits,
                                       const Tensor& labels) {
  if (IsNarrowFloat(logits.dtype())) {
    return kernels_internal::InFloat32("SoftmaxCrossEntropy", logits,
                                       SoftmaxCrossEntropy, logits, labels);
  }
  CheckArguments(logits, labels);
  if (OnGpu("SoftmaxCrossEntropy", logits, labels)) {
    return gpu::SoftmaxCrossEntropy(logits, labels);
  }
  const int64_t rows = logits.dim(0);
  const int64_t classes = logits.dim(1);
  CrossEntropyResult result{ZerosOnHost(Shape{rows}, logits.dtype()),
                            EmptyOnHost(logits.shape(), logits.dtype())};
  if (classes == 0) return result;
  kernels_internal::VisitFloating(logits.dtype(), [&]<typename T>() {
    const T* x = logits.data<T>();
    const T* target = labels.data<T>();
    T* loss = result.loss.mutable_data<T>();
    T* softmax = result.softmax.mutable_data<T>();
    ParallelFor(rows, kernels_internal::SoftmaxGrain(classes),
                [&](int64_t begin, int64_t end, int) {
                  for (int64_t i = begin; i < end; ++i) {
                    const int64_t row = i * classes;
                    loss[i] =
                        RowLoss(x + row, target + row, softmax + row, classes);
                  }
                });
  });
  return result;
}

Tensor SoftmaxCrossEntropyBackward(const Tensor& softmax, const Tensor& labels,
                                   const Tensor& dloss) {
  if (IsNarrowFloat(softmax.dtype())) {
    return kernels_internal::InFloat32("SoftmaxCrossEntropyBackward", softmax,
                                       SoftmaxCrossEntropyBackward, softmax,
                                       labels, dloss);
  }
  constexpr const char* kName = "SoftmaxCrossEntropyBackward";
  CheckArguments(softmax, labels);
  kernels_internal::CheckDType(kName, "dloss", dloss, softmax.dtype());
  kernels_internal::CheckShape(kName, "dloss", dloss, Shape{softmax.dim(0)});
  if (OnGpu(kName, softmax, labels, dloss)) {
    return gpu::SoftmaxCrossEntropyBackward(softmax, labels, dloss);
  }
  Tensor dlogits = EmptyOnHost(softmax.shape(), softmax.dtype());
  const int64_t classes = softmax.dim(1);
  kernels_internal::VisitFloating(softmax.dtype(), [&]<typename T>() {
    const T* y = softmax.data<T>();
    const T* target = labels.data<T>();
    T* dx = dlogits.mutable_data<T>();
    for (int64_t i = 0; i < softmax.dim(0); ++i) {
      const T scale = dloss.at<T>(i);
      double total = 0;
      for (int64_t j = 0; j < classes; ++j) total += target[i * classes + j];
      for (int64_t j = i * classes; j < (i + 1) * classes; ++j) {
        dx[j] = (y[j] * static_cast<T>(total) - target[j]) * scale;
      }
    }
  });
  return dlogits;
}

}  // namespace lockstep::kernels
