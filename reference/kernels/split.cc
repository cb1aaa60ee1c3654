#include "reference/kernels/split.h"

#include <algorithm>
#include <numeric>

#include "reference/base/error.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

// Elements begin..begin + size - 1 along `axis`, copied.
Tensor CopyPiece(const Tensor& tensor, int axis, int64_t begin, int64_t size) {
  if (!tensor.on_host()) return gpu::SplitPiece(tensor, axis, begin, size);
  const auto dims = tensor.shape().dims();
  const int64_t outer = Shape(dims.first(axis)).num_elements();
  const int64_t inner = Shape(dims.subspan(axis + 1)).num_elements();
  Tensor piece =
      EmptyOnHost(tensor.shape().WithDim(axis, size), tensor.dtype());
  VisitDType(tensor.dtype(), [&]<typename T>() {
    T* to = piece.mutable_data<T>();
    for (int64_t i = 0; i < outer; ++i) {
      const int64_t start = (i * tensor.dim(axis) + begin) * inner;
      to = std::copy_n(tensor.data<T>() + start, size * inner, to);
    }
  });
  return piece;
}

}  // namespace

std::vector<Tensor> Split(const Tensor& tensor, std::span<const int64_t> sizes,
                          int axis) {
  axis = kernels_internal::NormalizeAxis("Split", axis, tensor.rank());
  const int64_t total = std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
  if (std::ranges::any_of(sizes, [](int64_t size) { return size < 0; }) ||
      total != tensor.dim(axis)) {
    throw InvalidArgument(
        "[Split] sizes must add up to dimension {} of {}, their sum is {}",
        axis, Describe(tensor), total);
  }
  std::vector<Tensor> pieces;
  int64_t begin = 0;
  for (const int64_t size : sizes) {
    pieces.push_back(axis == 0 ? tensor.Slice(begin, begin + size)
                               : CopyPiece(tensor, axis, begin, size));
    begin += size;
  }
  return pieces;
}

}  // namespace lockstep::kernels
