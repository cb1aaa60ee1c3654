// Kernels that only move elements: they join and split tensors, gather rows and
// pad images.
#ifndef LOCKSTEP_REFERENCE_KERNELS_MOVEMENT_MOVEMENT_H_
#define LOCKSTEP_REFERENCE_KERNELS_MOVEMENT_MOVEMENT_H_

#include <cstdint>
#include <span>
#include <vector>

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/shape.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Concatenates tensors along an axis.
//
//   Concat({[[1], [2]], [[3], [4]]}, 1)   // [[1, 3], [2, 4]]
//
// Any type, including strings. Negative axes count from the end. Errors:
// InvalidArgument for no tensors, different types, shapes that differ in other
// axes, or an axis out of range.
Tensor Concat(std::span<const Tensor> tensors, int axis);

// The elements begin .. begin + size - 1 along an axis.
//
//   Slice([[1, 2, 3], [4, 5, 6]], 1, 1, 2)   // [[2, 3], [5, 6]]
//
// A copy except along axis 0, where it is a view. Negative axes count from the
// end. Errors: InvalidArgument for an axis or elements out of range.
Tensor Slice(const Tensor& tensor, int axis, int64_t begin, int64_t size);

// Splits a tensor along an axis; the inverse of Concat.
//
//   Split([[1, 3], [2, 4]], {1, 1}, 1)   // {[[1], [2]], [[3], [4]]}
//
// Pieces are copies except along axis 0, where they are views.
// Errors: InvalidArgument for an axis out of range or sizes that do not add up.
std::vector<Tensor> Split(const Tensor& tensor, std::span<const int64_t> sizes,
                          int axis);

}  // namespace lockstep::kernels

namespace lockstep::kernels_internal {

// The shape of Gather's result: the shape of the indices, then that of a row.
// (2, 3) and (10, 4) give (2, 3, 4). REQUIRES: params.rank() > 0.
inline Shape GatheredShape(const Shape& indices, const Shape& params) {
  const auto head = indices.dims();
  const auto tail = params.dims().subspan(1);
  std::vector<int64_t> dims(head.begin(), head.end());
  dims.insert(dims.end(), tail.begin(), tail.end());
  return Shape(dims);
}

}  // namespace lockstep::kernels_internal

namespace lockstep::kernels {

// Gathers rows of a table.
//
//   Gather([[1, 2], [3, 4]], [1, 0, 1])   // [[3, 4], [1, 2], [3, 4]]
//
// `params` has any type and rank >= 1; `indices` is int32, int64 or uint8 of
// any shape S; the result is S + params.shape[1:]. Errors: InvalidArgument for
// other types and for an index out of range. On a GPU the host does not wait
// for the indices, and such an index gives zeros, as in TensorFlow.
Tensor Gather(const Tensor& params, const Tensor& indices);

// Numbers the rows of a batch of tables through: position p of example n, of
// `length` rows each, is row n * length + p of all.
//
//   RowsOfBatch([[1, 0], [2, 2]], 3)   // [[1, 0], [5, 5]]
//
// `positions` is int32, int64 or uint8 of shape [N, ...]; the result is int64.
// Errors: InvalidArgument for other types, a scalar and a position out of range;
// Unimplemented on a GPU.
Tensor RowsOfBatch(const Tensor& positions, int64_t length);

// The gradient of `params`, of shape `params_shape`: adds every row of dy,
// which is float32 or float64, to the row it came from, in order. Errors as
// Gather; on a GPU an index out of range is ignored.
Tensor GatherBackward(const Shape& params_shape, const Tensor& indices,
                      const Tensor& dy);

// Overwrites rows of a table in place; the inverse of Gather. `rows` [n, ...]
// has the table's type, `indices` are n different rows. REQUIRES: no other
// tensor shares the table's memory. Errors: InvalidArgument, before anything is
// written, for other types and shapes and for an index out of range;
// Unimplemented on a GPU.
void AssignRows(Tensor& table, const Tensor& indices, const Tensor& rows);

// Swaps the last two axes: transposes each matrix [R, C].
//
//   SwapLastAxes([[1, 2, 3], [4, 5, 6]])   // [[1, 4], [2, 5], [3, 6]]
//
// Numeric types. Errors: InvalidArgument for other types and for less than two
// axes.
Tensor SwapLastAxes(const Tensor& x);

// Pads images x [N, H, W, C] with zeros.
//
//   x = [[1, 2]] as [1, 1, 2, 1]
//   Pad2D(x, {.top = 1, .right = 1})              // [[0, 0, 0], [1, 2, 0]]
//   Pad2DBackward(dy, {.top = 1, .right = 1})     // dy without its border
//
// The number of rows and columns of zeros on each side.
struct Pad2DOptions {
  int64_t top = 0;
  int64_t bottom = 0;
  int64_t left = 0;
  int64_t right = 0;
};

// Numeric types. Errors of both: InvalidArgument for other types and ranks,
// negative numbers, and a dy smaller than its border.
Tensor Pad2D(const Tensor& x, const Pad2DOptions& options);
Tensor Pad2DBackward(const Tensor& dy, const Pad2DOptions& options);

// GPU versions; see device_kernel.h.
namespace gpu {
// The axis, 0 <= axis < rank, and the shape of the result.
inline constinit DeviceKernel<Tensor(std::span<const Tensor>, int,
                                     const Shape&)>
    Concat{"Concat"};
// Copies one piece: axis, begin, size.
inline constinit DeviceKernel<Tensor(const Tensor&, int, int64_t, int64_t)>
    SplitPiece{"SplitPiece"};
inline constinit DeviceKernel<decltype(kernels::Gather)> Gather{"Gather"};
inline constinit DeviceKernel<decltype(kernels::GatherBackward)> GatherBackward{
    "GatherBackward"};
inline constinit DeviceKernel<decltype(kernels::SwapLastAxes)> SwapLastAxes{
    "SwapLastAxes"};
inline constinit DeviceKernel<decltype(kernels::Pad2D)> Pad2D{"Pad2D"};
inline constinit DeviceKernel<decltype(kernels::Pad2DBackward)> Pad2DBackward{
    "Pad2DBackward"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_MOVEMENT_MOVEMENT_H_
