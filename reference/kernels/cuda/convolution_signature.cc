#include "reference/kernels/cuda/convolution_signature.h"

namespace lockstep::kernels_internal {
namespace {

// Zeros to put behind so that the padding is `before` on both sides; where it
// is less behind than in front, which SAME never asks for, none can be.
int64_t ZerosBehind(const kernels::Windows& windows) {
  return windows.after > windows.before ? windows.after - windows.before : 0;
}

}  // namespace

bool ConvolutionSignature::NeedsZerosBehind() const {
  return ZerosBehind(shape.rows) > 0 || ZerosBehind(shape.columns) > 0;
}

ConvolutionSignature ConvolutionSignature::WithZerosBehind() const {
  ConvolutionSignature even = *this;
  even.shape.height += ZerosBehind(shape.rows);
  even.shape.width += ZerosBehind(shape.columns);
  even.shape.rows.after -= ZerosBehind(shape.rows);
  even.shape.columns.after -= ZerosBehind(shape.columns);
  return even;
}

}  // namespace lockstep::kernels_internal
