#include "reference/kernels/convolution/cuda/convolution_signature.h"

#include <fmt/core.h>

#include <string_view>

namespace lockstep::kernels_internal {
namespace {

// The zeros to add at the end so that the padding is `before` on both sides.
// SAME never has less padding at the end than at the start.
int64_t TrailingZeros(const kernels::Windows& windows) {
  return windows.after > windows.before ? windows.after - windows.before : 0;
}

std::string_view NameOf(ConvolutionPass pass) {
  switch (pass) {
    case ConvolutionPass::kForward:
      return "forward";
    case ConvolutionPass::kBackwardData:
      return "backward data";
    case ConvolutionPass::kBackwardFilter:
      return "backward filter";
  }
  return "unknown pass";
}

}  // namespace

ConvolutionSignature ConvolutionSignature::WithTrailingZeros() const {
  ConvolutionSignature even = *this;
  even.shape.height += TrailingZeros(shape.rows);
  even.shape.width += TrailingZeros(shape.columns);
  even.shape.rows.after -= TrailingZeros(shape.rows);
  even.shape.columns.after -= TrailingZeros(shape.columns);
  return even;
}

std::string Describe(const ConvolutionSignature& s) {
  const ConvolutionShape& shape = s.shape;
  return fmt::format(
      "Conv2D {} {} x {} x {} x {}, filter {} x {} x {}, strides {} x {}, "
      "padding {} {} {} {}, {}{}{}{}{}{}{}",
      NameOf(s.pass), s.images, shape.height, shape.width, shape.inputs,
      shape.filter_rows, shape.filter_columns, shape.outputs, shape.strides[0],
      shape.strides[1], shape.rows.before, shape.rows.after,
      shape.columns.before, shape.columns.after, DTypeName(s.dtype),
      s.bias ? ", bias" : "", s.relu ? ", ReLU" : "",
      s.wide ? ", float32 result" : "", s.allow_winograd ? ", Winograd" : "",
      s.allow_tf32 ? ", TF32" : "", s.autotune ? ", autotuned" : "");
}

}  // namespace lockstep::kernels_internal
