#include "reference/kernels/movement/movement.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>

#include "reference/base/error.h"
#include "reference/base/threads.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/dtype_dispatch.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

// The shape of the result. Checks that the tensors agree in the other axes.
Shape ConcatShape(std::span<const Tensor> tensors, int axis) {
  const Tensor& first = tensors[0];
  int64_t total = 0;
  for (const Tensor& tensor : tensors) {
    if (!tensor.defined() || tensor.dtype() != first.dtype() ||
        tensor.rank() != first.rank() ||
        tensor.shape().WithDim(axis, 0) != first.shape().WithDim(axis, 0)) {
      throw InvalidArgument("[Concat] {} does not continue {} along axis {}",
                            Describe(tensor), Describe(first), axis);
    }
    total += tensor.dim(axis);
  }
  return first.shape().WithDim(axis, total);
}

}  // namespace

Tensor Concat(std::span<const Tensor> tensors, int axis) {
  if (tensors.empty()) throw InvalidArgument("[Concat] got no tensors");
  axis = kernels_internal::NormalizeAxis("Concat", axis, tensors[0].rank());
  const Shape shape = ConcatShape(tensors, axis);
  for (const Tensor& tensor : tensors) OnGpu("Concat", tensors[0], tensor);
  if (!tensors[0].on_host()) return gpu::Concat(tensors, axis, shape);
  Tensor out = EmptyOnHost(shape, tensors[0].dtype());
  const int64_t outer = Shape(shape.dims().first(axis)).num_elements();
  const int64_t inner = Shape(shape.dims().subspan(axis + 1)).num_elements();
  VisitDType(out.dtype(), [&]<typename T>() {
    T* to = out.mutable_data<T>();
    for (int64_t i = 0; i < outer; ++i) {
      for (const Tensor& tensor : tensors) {
        const int64_t run = tensor.dim(axis) * inner;
        to = std::copy_n(tensor.data<T>() + i * run, run, to);
      }
    }
  });
  return out;
}

namespace {

// Copies elements begin .. begin + size - 1 along `axis`.
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

// The same; along axis 0 a view.
Tensor PieceOf(const Tensor& tensor, int axis, int64_t begin, int64_t size) {
  return axis == 0 ? tensor.Slice(begin, begin + size)
                   : CopyPiece(tensor, axis, begin, size);
}

}  // namespace

Tensor Slice(const Tensor& tensor, int axis, int64_t begin, int64_t size) {
  const int counted =
      kernels_internal::NormalizeAxis("Slice", axis, tensor.rank());
  if (begin < 0 || size < 0 || begin > tensor.dim(counted) - size) {
    throw InvalidArgument(
        "[Slice] {} elements from {} on are not in axis {} of {}", size, begin,
        axis, Describe(tensor));
  }
  return PieceOf(tensor, counted, begin, size);
}

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
    pieces.push_back(PieceOf(tensor, axis, begin, size));
    begin += size;
  }
  return pieces;
}

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

Tensor RowsOfBatch(const Tensor& positions, int64_t length) {
  kernels_internal::CheckIndices("RowsOfBatch", "positions", positions);
  if (positions.rank() == 0) {
    throw InvalidArgument("[RowsOfBatch] positions must have a batch axis");
  }
  if (OnGpu("RowsOfBatch", positions)) {
    throw Unimplemented("[RowsOfBatch] has no kernel for {}",
                        positions.device().name());
  }
  Tensor rows = EmptyOnHost(positions.shape(), DType::kInt64);
  const int64_t each = positions.shape().Tail().num_elements();
  int64_t* to = rows.mutable_data<int64_t>();
  ForEachRow("RowsOfBatch", positions, length,
             [&](int64_t i, int64_t row) { to[i] = i / each * length + row; });
  return rows;
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

void AssignRows(Tensor& table, const Tensor& indices, const Tensor& rows) {
  kernels_internal::CheckIndices("AssignRows", "indices", indices);
  kernels_internal::CheckDType("AssignRows", "rows", rows, table.dtype());
  kernels_internal::CheckShape(
      "AssignRows", "rows", rows,
      kernels_internal::GatheredShape(indices.shape(), table.shape()));
  if (OnGpu("AssignRows", table, indices, rows)) {
    throw Unimplemented("[AssignRows] has no kernel for {}",
                        table.device().name());
  }
  ForEachRow("AssignRows", indices, table.dim(0), [](int64_t, int64_t) {});
  const int64_t width = table.shape().Tail().num_elements();
  VisitDType(table.dtype(), [&]<typename T>() {
    ForEachRow("AssignRows", indices, table.dim(0),
               [&](int64_t i, int64_t row) {
                 std::copy_n(rows.data<T>() + i * width, width,
                             table.mutable_data<T>() + row * width);
               });
  });
}

namespace {

void CheckImages(const char* operation, const Tensor& x,
                 const Pad2DOptions& options) {
  if (x.dtype() == DType::kString) {
    throw InvalidArgument("[{}] images must be numeric, got {}", operation,
                          Describe(x));
  }
  kernels_internal::CheckRank(operation, "x", x, 4);
  if (std::min({options.top, options.bottom, options.left, options.right}) <
      0) {
    throw InvalidArgument(
        "[{}] padding must not be negative, got {}, {}, {}, {} (top, bottom, "
        "left, right)",
        operation, options.top, options.bottom, options.left, options.right);
  }
}

// Copies the inner images into the outer ones, or back. Each row of an inner
// image is contiguous in both.
struct RowCopy {
  RowCopy(const Shape& inner, const Shape& outer, DType dtype,
          const Pad2DOptions& options)
      : rows(inner[1]),
        inner_row(Bytes(inner, dtype)),
        outer_row(Bytes(outer, dtype)),
        outer_image(outer[1] * outer_row),
        first(options.top * outer_row + options.left * inner[3] * Size(dtype)) {
  }

  static int64_t Size(DType dtype) {
    return static_cast<int64_t>(DTypeSize(dtype));
  }
  static int64_t Bytes(const Shape& images, DType dtype) {
    return images[2] * images[3] * Size(dtype);
  }

  // Calls body(offset in inner, offset in outer) for each row of image n.
  template <class Body>
  void ForRows(int64_t n, const Body& body) const {
    for (int64_t row = 0; row < rows; ++row) {
      body((n * rows + row) * inner_row,
           n * outer_image + first + row * outer_row);
    }
  }

  int64_t rows, inner_row, outer_row, outer_image, first;
};

}  // namespace

Tensor Pad2D(const Tensor& x, const Pad2DOptions& options) {
  CheckImages("Pad2D", x, options);
  if (OnGpu("Pad2D", x)) return gpu::Pad2D(x, options);
  Tensor y =
      EmptyOnHost(Shape{x.dim(0), x.dim(1) + options.top + options.bottom,
                        x.dim(2) + options.left + options.right, x.dim(3)},
                  x.dtype());
  const RowCopy copy(x.shape(), y.shape(), x.dtype(), options);
  const auto* from = static_cast<const std::byte*>(x.raw_data());
  auto* to = static_cast<std::byte*>(y.mutable_raw_data());
  ParallelFor(x.dim(0), 1, [&](int64_t begin, int64_t end, int) {
    std::fill_n(to + begin * copy.outer_image, (end - begin) * copy.outer_image,
                std::byte{0});
    for (int64_t n = begin; n < end; ++n) {
      copy.ForRows(n, [&](int64_t inner, int64_t outer) {
        std::copy_n(from + inner, copy.inner_row, to + outer);
      });
    }
  });
  return y;
}

Tensor Pad2DBackward(const Tensor& dy, const Pad2DOptions& options) {
  CheckImages("Pad2DBackward", dy, options);
  const int64_t height = dy.dim(1) - options.top - options.bottom;
  const int64_t width = dy.dim(2) - options.left - options.right;
  if (height < 0 || width < 0) {
    throw InvalidArgument(
        "[Pad2DBackward] dy {} is smaller than its padding of {} x {}",
        ToString(dy.shape()), options.top + options.bottom,
        options.left + options.right);
  }
  if (OnGpu("Pad2DBackward", dy)) return gpu::Pad2DBackward(dy, options);
  Tensor dx =
      EmptyOnHost(Shape{dy.dim(0), height, width, dy.dim(3)}, dy.dtype());
  const RowCopy copy(dx.shape(), dy.shape(), dy.dtype(), options);
  const auto* from = static_cast<const std::byte*>(dy.raw_data());
  auto* to = static_cast<std::byte*>(dx.mutable_raw_data());
  ParallelFor(dy.dim(0), 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t n = begin; n < end; ++n) {
      copy.ForRows(n, [&](int64_t inner, int64_t outer) {
        std::copy_n(from + outer, copy.inner_row, to + inner);
      });
    }
  });
  return dx;
}

namespace {

// [..., R, C] as [..., C, R].
Shape SwappedShape(const Shape& shape) {
  const int last = shape.rank() - 1;
  return shape.WithDim(last, shape[last - 1]).WithDim(last - 1, shape[last]);
}

}  // namespace

Tensor SwapLastAxes(const Tensor& x) {
  if (x.rank() < 2 || x.dtype() == DType::kString) {
    throw InvalidArgument(
        "[SwapLastAxes] x must have numbers and two axes or more, got {}",
        Describe(x));
  }
  if (OnGpu("SwapLastAxes", x)) return gpu::SwapLastAxes(x);
  Tensor y = EmptyOnHost(SwappedShape(x.shape()), x.dtype());
  const int64_t rows = x.dim(x.rank() - 2), columns = x.dim(x.rank() - 1);
  if (x.num_elements() == 0) return y;
  constexpr int64_t kGrain = 16384;  // elements worth waking a thread for
  VisitDType(x.dtype(), [&]<typename T>() {
    const T* from = x.data<T>();
    T* to = y.mutable_data<T>();
    // Each piece writes whole rows of the results.
    ParallelFor(x.num_elements() / rows, std::max<int64_t>(kGrain / rows, 1),
                [&](int64_t begin, int64_t end, int) {
                  for (int64_t i = begin; i < end; ++i) {
                    const T* column =
                        from + i / columns * rows * columns + i % columns;
                    for (int64_t row = 0; row < rows; ++row) {
                      to[i * rows + row] = column[row * columns];
                    }
                  }
                });
  });
  return y;
}

}  // namespace lockstep::kernels
