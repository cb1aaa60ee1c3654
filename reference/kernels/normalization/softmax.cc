#include "reference/kernels/normalization/softmax.h"

#include <cmath>
#include <cstdint>

#include "reference/base/error.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/dtype_dispatch.h"
#include "reference/kernels/normalization/rows.h"
#include "reference/kernels/normalization/softmax_rows.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

// Returns log(sum(exp(x))) of a row and writes its softmax to y. REQUIRES:
// count >= 1.
template <typename T>
double LogSumExp(const T* x, T* y, int64_t count) {
  const auto exponentials = kernels_internal::SoftmaxRow(x, y, count);
  return exponentials.top + std::log(exponentials.sum);
}

// Calls body(row, offset of its first element) for every row of the last axis.
template <class Body>
void ForEachRow(const Tensor& x, const Body& body) {
  const kernels_internal::Rows rows = kernels_internal::RowsOf(x);
  kernels_internal::ForEachRow(
      rows, [&](int64_t row) { body(row, row * rows.channels); });
}

void CheckVector(const Tensor& x) {
  kernels_internal::CheckFloating("Softmax", "x", x);
  if (x.rank() == 0) {
    throw InvalidArgument("[Softmax] x must have an axis, got {}", Describe(x));
  }
}

}  // namespace

Tensor Softmax(const Tensor& x) {
  if (IsNarrowFloat(x.dtype())) {
    return kernels_internal::InFloat32("Softmax", x, Softmax, x);
  }
  CheckVector(x);
  if (OnGpu("Softmax", x)) return gpu::Softmax(x);
  Tensor y = EmptyOnHost(x.shape(), x.dtype());
  kernels_internal::VisitFloating(x.dtype(), [&]<typename T>() {
    const T* from = x.data<T>();
    T* to = y.mutable_data<T>();
    ForEachRow(x, [&](int64_t, int64_t row) {
      kernels_internal::SoftmaxRow(from + row, to + row, x.dim(x.rank() - 1));
    });
  });
  return y;
}

Tensor SoftmaxBackward(const Tensor& y, const Tensor& dy) {
  if (IsNarrowFloat(y.dtype())) {
    return kernels_internal::InFloat32("SoftmaxBackward", y, SoftmaxBackward, y,
                                       dy);
  }
  CheckVector(y);
  kernels_internal::CheckSameTypeAndShape("SoftmaxBackward", y, dy);
  if (OnGpu("SoftmaxBackward", y, dy)) return gpu::SoftmaxBackward(y, dy);
  Tensor dx = EmptyOnHost(y.shape(), y.dtype());
  const int64_t columns = y.dim(y.rank() - 1);
  kernels_internal::VisitFloating(y.dtype(), [&]<typename T>() {
    const T* out = y.data<T>();
    const T* from = dy.data<T>();
    T* to = dx.mutable_data<T>();
    ForEachRow(y, [&](int64_t, int64_t row) {
      kernels_internal::SoftmaxBackwardRow(out + row, from + row, to + row,
                                           columns);
    });
  });
  return dx;
}

namespace {

// `scores` are the logits or their softmax.
void CheckLabels(const Tensor& scores, const Tensor& labels) {
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
  ForEachRow(logits, [&](int64_t i, int64_t row) {
    const double log_sum = LogSumExp(x + row, softmax + row, classes);
    loss[i] = static_cast<T>(log_sum - x[row + label[i]]);
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
    const int64_t row = i * classes;
    for (int64_t j = row; j < row + classes; ++j) dx[j] = y[j] * scale[i];
    const int64_t target = row + static_cast<int64_t>(label[i]);
    dx[target] = (y[target] - 1) * scale[i];
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
  CheckLabels(logits, labels);
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
  CheckLabels(softmax, labels);
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

namespace {

void CheckProbabilities(const Tensor& scores, const Tensor& labels) {
  kernels_internal::CheckFloating("SoftmaxCrossEntropy", "logits", scores);
  kernels_internal::CheckRank("SoftmaxCrossEntropy", "logits", scores, 2);
  kernels_internal::CheckSameTypeAndShape("SoftmaxCrossEntropy", scores,
                                          labels);
}

// Returns the loss of one row and writes its softmax.
template <typename T>
T RowLoss(const T* logits, const T* labels, T* softmax, int64_t classes) {
  const double log_sum = LogSumExp(logits, softmax, classes);
  double loss = 0;
  for (int64_t j = 0; j < classes; ++j) {
    // A class of probability 0 adds no loss, even if its logit is -inf.
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
  CheckProbabilities(logits, labels);
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
    ForEachRow(logits, [&](int64_t i, int64_t row) {
      loss[i] = RowLoss(x + row, target + row, softmax + row, classes);
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
  CheckProbabilities(softmax, labels);
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
