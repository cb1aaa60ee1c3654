#include "reference/kernels/gather.h"

#include <algorithm>
#include <string_view>

#include "reference/base/error.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/gathered_shape.h"
#include "reference/kernels/in_float32.h"
#include "reference/kernels/visit_arithmetic.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

// Calls body(position, row) for each index; checks that the row exists.
template <class Body>
void ForEachRow(std::string_view operation, const Tensor& indices, int64_t rows,
                const Body& body) {
  kernels_internal::VisitIndices(indices.dtype(), [&]<typename T>() {
    for (int64_t i = 0; i < indices.num_elements(); ++i) {
      const auto row = static_cast<int64_t>(indices.at<T>(i));
      if (row < 0 || row >= rows) {
        throw InvalidArgument("[{}] index {} at position {} is not in [0, {})",
                              operation, row, i, rows);
      }
      body(i, row);
    }
  });
}

}  // namespace

Tensor Gather(const Tensor& params, const Tensor& indices) {
  kernels_internal::CheckIndices("Gather", "indices", indices);
  if (!params.defined() || params.rank() == 0) {
    throw InvalidArgument("[Gather] params must have rows, got {}",
                          Describe(params));
  }
  if (OnGpu("Gather", params, indices)) return gpu::Gather(params, indices);
  Tensor out = EmptyOnHost(
      kernels_internal::GatheredShape(indices.shape(), params.shape()),
      params.dtype());
  const int64_t width = params.shape().Tail().num_elements();
  VisitDType(params.dtype(), [&]<typename T>() {
    T* to = out.mutable_data<T>();
    ForEachRow("Gather", indices, params.dim(0), [&](int64_t i, int64_t row) {
      std::copy_n(params.data<T>() + row * width, width, to + i * width);
    });
  });
  return out;
}

Tensor GatherBackward(const Shape& params_shape, const Tensor& indices,
                      const Tensor& dy) {
  if (IsNarrowFloat(dy.dtype())) {
    return kernels_internal::InFloat32("GatherBackward", dy, GatherBackward,
                                       params_shape, indices, dy);
  }
  kernels_internal::CheckIndices("GatherBackward", "indices", indices);
  kernels_internal::CheckFloating("GatherBackward", "dy", dy);
  if (params_shape.rank() == 0) {
    throw InvalidArgument("[GatherBackward] params must have rows, got {}",
                          ToString(params_shape));
  }
  kernels_internal::CheckShape(
      "GatherBackward", "dy", dy,
      kernels_internal::GatheredShape(indices.shape(), params_shape));
  if (OnGpu("GatherBackward", dy, indices)) {
    return gpu::GatherBackward(params_shape, indices, dy);
  }
  Tensor dparams = ZerosOnHost(params_shape, dy.dtype());
  const int64_t width = params_shape.Tail().num_elements();
  kernels_internal::VisitFloating(dy.dtype(), [&]<typename T>() {
    const T* from = dy.data<T>();
    T* to = dparams.mutable_data<T>();
    ForEachRow("GatherBackward", indices, params_shape[0],
               [&](int64_t i, int64_t row) {
                 for (int64_t j = 0; j < width; ++j) {
                   to[row * width + j] += from[i * width + j];
                 }
               });
  });
  return dparams;
}

}  // namespace lockstep::kernels
