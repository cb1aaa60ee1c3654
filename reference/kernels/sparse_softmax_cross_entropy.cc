#include "reference/kernels/sparse_softmax_cross_entropy.h"

#include "reference/base/error.h"
#include "reference/base/thread_team.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/cpu/softmax_row.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/in_float32.h"
#include "reference/kernels/visit_arithmetic.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

// `scores` are the logits or their softmax.
void CheckArguments(const Tensor& scores, const Tensor& labels) {
  constexpr const char* kName = "SparseSoftmaxCrossEntropy";
  kernels_internal::CheckFloating(kName, "logits", scores);
  kernels_internal::CheckRank(kName, "logits", scores, 2);
  kernels_internal::CheckIndices(kName, "labels", labels);
  kernels_internal::CheckShape(kName, "labels", labels, Shape{scores.dim(0)});
  if (!labels.on_host()) return;
  kernels_internal::VisitIndices(labels.dtype(), [&]<typename L>() {
    for (int64_t i = 0; i < labels.num_elements(); ++i) {
      const auto label = static_cast<int64_t>(labels.at<L>(i));
      if (label < 0 || label >= scores.dim(1)) {
        throw InvalidArgument("[{}] label {} of example {} is not in [0, {})",
                              kName, label, i, scores.dim(1));
      }
    }
  });
}

template <typename T, typename L>
void Forward(const Tensor& logits, const Tensor& labels,
             CrossEntropyResult& result) {
  const int64_t classes = logits.dim(1);
  const T* x = logits.data<T>();
  const L* label = labels.data<L>();
  T* loss = result.loss.mutable_data<T>();
  T* softmax = result.softmax.mutable_data<T>();
  ParallelFor(logits.dim(0), kernels_internal::SoftmaxGrain(classes),
              [&](int64_t begin, int64_t end, int) {
                for (int64_t i = begin; i < end; ++i) {
                  const T* row = x + i * classes;
                  const double log_sum = kernels_internal::SoftmaxRow(
                      row, softmax + i * classes, classes);
                  loss[i] = static_cast<T>(log_sum - row[label[i]]);
                }
              });
}

template <typename T, typename L>
void Backward(const Tensor& softmax, const Tensor& labels, const Tensor& dloss,
              Tensor& dlogits) {
  const int64_t classes = softmax.dim(1);
  const T* y = softmax.data<T>();
  const L* label = labels.data<L>();
  const T* scale = dloss.data<T>();
  T* dx = dlogits.mutable_data<T>();
  for (int64_t i = 0; i < softmax.dim(0); ++i) {
    for (int64_t j = 0; j < classes; ++j) {
      const T target = static_cast<int64_t>(label[i]) == j ? T{1} : T{0};
      dx[i * classes + j] = (y[i * classes + j] - target) * scale[i];
    }
  }
}

}  // namespace

CrossEntropyResult SparseSoftmaxCrossEntropy(const Tensor& logits,
                                             const Tensor& labels) {
  if (IsNarrowFloat(logits.dtype())) {
    return kernels_internal::InFloat32("SparseSoftmaxCrossEntropy", logits,
                                       SparseSoftmaxCrossEntropy, logits,
                                       labels);
  }
  CheckArguments(logits, labels);
  if (OnGpu("SparseSoftmaxCrossEntropy", logits, labels)) {
    return gpu::SparseSoftmaxCrossEntropy(logits, labels);
  }
  CrossEntropyResult result{EmptyOnHost(labels.shape(), logits.dtype()),
                            EmptyOnHost(logits.shape(), logits.dtype())};
  kernels_internal::VisitFloating(logits.dtype(), [&]<typename T>() {
    kernels_internal::VisitIndices(labels.dtype(), [&]<typename L>() {
      Forward<T, L>(logits, labels, result);
    });
  });
  return result;
}

Tensor SparseSoftmaxCrossEntropyBackward(const Tensor& softmax,
                                         const Tensor& labels,
                                         const Tensor& dloss) {
  if (IsNarrowFloat(softmax.dtype())) {
    return kernels_internal::InFloat32(
        "SparseSoftmaxCrossEntropyBackward", softmax,
        SparseSoftmaxCrossEntropyBackward, softmax, labels, dloss);
  }
  constexpr const char* kName = "SparseSoftmaxCrossEntropyBackward";
  CheckArguments(softmax, labels);
  kernels_internal::CheckDType(kName, "dloss", dloss, softmax.dtype());
  kernels_internal::CheckShape(kName, "dloss", dloss, labels.shape());
  if (OnGpu(kName, softmax, labels, dloss)) {
    return gpu::SparseSoftmaxCrossEntropyBackward(softmax, labels, dloss);
  }
  Tensor dlogits = EmptyOnHost(softmax.shape(), softmax.dtype());
  kernels_internal::VisitFloating(softmax.dtype(), [&]<typename T>() {
    kernels_internal::VisitIndices(labels.dtype(), [&]<typename L>() {
      Backward<T, L>(softmax, labels, dloss, dlogits);
    });
  });
  return dlogits;
}

}  // namespace lockstep::kernels
