#include "reference/kernels/linear/attention.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/threads.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/dtype_dispatch.h"
#include "reference/kernels/linear/gemm.h"
#include "reference/kernels/normalization/softmax_rows.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

using kernels_internal::Gemm;
using kernels_internal::Matrix;

struct Sizes {
  int64_t batch, queries, keys, heads, query_size, value_size;

  bool empty() const {
    return batch * queries * keys * heads * query_size * value_size == 0;
  }
  double scale() const {
    return 1 / std::sqrt(static_cast<double>(query_size));
  }
  // Heads worth waking a thread for.
  int64_t grain() const {
    return 65536 / (queries * keys * (query_size + value_size) + 1) + 1;
  }
};

void CheckSeenKeys(const Sizes& sizes, const Tensor& query,
                   const Tensor& seen) {
  if (!seen.defined()) return;
  OnGpu("Attention", query, seen);  // refuses different devices
  kernels_internal::CheckDType("Attention", "seen_keys", seen, DType::kBool);
  kernels_internal::CheckShape("Attention", "seen_keys", seen,
                               Shape{sizes.batch, sizes.keys});
}

Sizes CheckedSizes(const AttentionInputs& inputs) {
  const auto& [query, key, value] = inputs;
  if (OnGpu("Attention", query, key, value)) {
    throw Unimplemented("[Attention] has no kernel for {}",
                        query.device().name());
  }
  kernels_internal::CheckFloating("Attention", "query", query);
  kernels_internal::CheckRank("Attention", "query", query, 4);
  kernels_internal::CheckDType("Attention", "key", key, query.dtype());
  kernels_internal::CheckShape(
      "Attention", "key", key,
      Shape{query.dim(0), kUnknownDim, query.dim(2), query.dim(3)});
  kernels_internal::CheckDType("Attention", "value", value, query.dtype());
  kernels_internal::CheckShape(
      "Attention", "value", value,
      Shape{query.dim(0), key.dim(1), query.dim(2), kUnknownDim});
  return {query.dim(0), query.dim(1), key.dim(1),
          query.dim(2), query.dim(3), value.dim(3)};
}

// One head of one example in [N, P, H, E]: a matrix [P, E] with a row stride of
// H E.
template <typename T>
Matrix<T> HeadOf(const Tensor& tensor, int64_t example, int64_t head,
                 bool transpose = false) {
  const int64_t stride = tensor.dim(2) * tensor.dim(3);
  return {tensor.data<T>() + example * tensor.dim(1) * stride +
              head * tensor.dim(3),
          stride, transpose};
}

// The same, writable. REQUIRES: no other tensor shares the memory.
template <typename T>
T* WrittenHeadOf(Tensor& tensor, int64_t example, int64_t head) {
  return const_cast<T*>(HeadOf<T>(tensor, example, head).data);
}

// Turns a row of scores into probabilities; those from `seen` on, and those of
// hidden keys, are 0.
template <typename T>
void ScoresToProbabilities(T* row, int64_t count, int64_t seen, T scale,
                           const bool* seen_keys) {
  bool any = seen_keys == nullptr;
  for (int64_t i = 0; i < seen; ++i) {
    const bool visible = seen_keys == nullptr || seen_keys[i];
    any = any || visible;
    row[i] = visible ? row[i] * scale : -std::numeric_limits<T>::infinity();
  }
  if (!any) seen = 0;
  if (any) kernels_internal::SoftmaxRow(row, row, seen);
  std::fill(row + seen, row + count, T{0});
}

template <typename T>
void AttendHead(const Sizes& sizes, const AttentionInputs& inputs,
                const AttentionOptions& options, int64_t example, int64_t head,
                T* probabilities, Tensor& y) {
  Gemm(sizes.queries, sizes.keys, sizes.query_size,
       HeadOf<T>(inputs.query, example, head),
       HeadOf<T>(inputs.key, example, head, /*transpose=*/true), probabilities,
       sizes.keys, /*accumulate=*/false);
  const bool* seen_keys =
      options.seen_keys.defined()
          ? options.seen_keys.data<bool>() + example * sizes.keys
          : nullptr;
  for (int64_t t = 0; t < sizes.queries; ++t) {
    const int64_t seen =
        options.causal ? std::min(t + 1, sizes.keys) : sizes.keys;
    ScoresToProbabilities(probabilities + t * sizes.keys, sizes.keys, seen,
                          static_cast<T>(sizes.scale()), seen_keys);
  }
  Gemm(sizes.queries, sizes.value_size, sizes.keys,
       Matrix<T>{probabilities, sizes.keys},
       HeadOf<T>(inputs.value, example, head),
       WrittenHeadOf<T>(y, example, head), sizes.heads * sizes.value_size,
       /*accumulate=*/false);
}

// Calls body(example, head, number) for each head of each example.
template <class Body>
void ForEachHead(const Sizes& sizes, const Body& body) {
  ParallelFor(sizes.batch * sizes.heads, sizes.grain(),
              [&](int64_t begin, int64_t end, int) {
                for (int64_t i = begin; i < end; ++i) {
                  body(i / sizes.heads, i % sizes.heads, i);
                }
              });
}

// Turns the gradient of the probabilities into that of the scores, in place.
template <typename T>
void BackThroughSoftmax(const Sizes& sizes, const T* probabilities,
                        T* gradient) {
  for (int64_t t = 0; t < sizes.queries; ++t) {
    T* row = gradient + t * sizes.keys;
    kernels_internal::SoftmaxBackwardRow(probabilities + t * sizes.keys, row,
                                         row, sizes.keys);
  }
  const auto scale = static_cast<T>(sizes.scale());
  for (int64_t i = 0; i < sizes.queries * sizes.keys; ++i) gradient[i] *= scale;
}

template <typename T>
void BackThroughHead(const Sizes& sizes, const AttentionInputs& inputs,
                     const Tensor& dy, int64_t example, int64_t head,
                     const T* probabilities, AttentionInputs& d) {
  const int64_t q = sizes.queries, k = sizes.keys, size = sizes.query_size;
  const Matrix<T> dy_head = HeadOf<T>(dy, example, head);
  Gemm(k, sizes.value_size, q, Matrix<T>{probabilities, k, /*transpose=*/true},
       dy_head, WrittenHeadOf<T>(d.value, example, head),
       sizes.heads * sizes.value_size, /*accumulate=*/false);
  std::vector<T> scores(q * k);
  Gemm(q, k, sizes.value_size, dy_head,
       HeadOf<T>(inputs.value, example, head, /*transpose=*/true),
       scores.data(), k, /*accumulate=*/false);
  BackThroughSoftmax(sizes, probabilities, scores.data());
  Gemm(q, size, k, Matrix<T>{scores.data(), k},
       HeadOf<T>(inputs.key, example, head),
       WrittenHeadOf<T>(d.query, example, head), sizes.heads * size,
       /*accumulate=*/false);
  Gemm(k, size, q, Matrix<T>{scores.data(), k, /*transpose=*/true},
       HeadOf<T>(inputs.query, example, head),
       WrittenHeadOf<T>(d.key, example, head), sizes.heads * size,
       /*accumulate=*/false);
}

}  // namespace

AttentionResult Attention(const AttentionInputs& inputs,
                          const AttentionOptions& options) {
  const Sizes sizes = CheckedSizes(inputs);
  CheckSeenKeys(sizes, inputs.query, options.seen_keys);
  const DType dtype = inputs.query.dtype();
  AttentionResult result{
      ZerosOnHost({sizes.batch, sizes.queries, sizes.heads, sizes.value_size},
                  dtype),
      ZerosOnHost({sizes.batch, sizes.heads, sizes.queries, sizes.keys},
                  dtype)};
  if (sizes.empty()) return result;
  kernels_internal::VisitFloating(dtype, [&]<typename T>() {
    T* probabilities = result.probabilities.mutable_data<T>();
    ForEachHead(sizes, [&](int64_t example, int64_t head, int64_t i) {
      AttendHead<T>(sizes, inputs, options, example, head,
                    probabilities + i * sizes.queries * sizes.keys, result.y);
    });
  });
  return result;
}

AttentionInputs AttentionBackward(const AttentionInputs& inputs,
                                  const Tensor& probabilities,
                                  const Tensor& dy) {
  const Sizes sizes = CheckedSizes(inputs);
  const DType dtype = inputs.query.dtype();
  kernels_internal::CheckDType("AttentionBackward", "dy", dy, dtype);
  kernels_internal::CheckShape(
      "AttentionBackward", "dy", dy,
      Shape{sizes.batch, sizes.queries, sizes.heads, sizes.value_size});
  AttentionInputs d{ZerosOnHost(inputs.query.shape(), dtype),
                    ZerosOnHost(inputs.key.shape(), dtype),
                    ZerosOnHost(inputs.value.shape(), dtype)};
  if (sizes.empty()) return d;
  kernels_internal::VisitFloating(dtype, [&]<typename T>() {
    const T* stored = probabilities.data<T>();
    ForEachHead(sizes, [&](int64_t example, int64_t head, int64_t i) {
      BackThroughHead<T>(sizes, inputs, dy, example, head,
                         stored + i * sizes.queries * sizes.keys, d);
    });
  });
  return d;
}

}  // namespace lockstep::kernels
