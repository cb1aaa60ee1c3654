#include "reference/preprocessing/random/flip_images.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/threads.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::preprocessing_internal {
namespace {

// Copies `count` pieces of `bytes` in reverse order.
void CopyReversed(const std::byte* from, int64_t count, int64_t bytes,
                  std::byte* to) {
  for (int64_t i = 0; i < count; ++i) {
    std::copy_n(from + i * bytes, bytes, to + (count - 1 - i) * bytes);
  }
}

Tensor Flipped(const Tensor& x, const std::vector<bool>& flipped,
               FlipAxis axis) {
  Tensor y = EmptyOnHost(x.shape(), x.dtype());
  const auto* from = static_cast<const std::byte*>(x.raw_data());
  auto* to = static_cast<std::byte*>(y.mutable_raw_data());
  const auto pixel = x.dim(3) * static_cast<int64_t>(DTypeSize(x.dtype()));
  const int64_t rows = x.dim(1), row = x.dim(2) * pixel, image = rows * row;
  ParallelFor(x.dim(0), 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t at = begin * image; begin < end; ++begin, at += image) {
      if (!flipped[static_cast<size_t>(begin)]) {
        std::copy_n(from + at, image, to + at);
      } else if (axis == FlipAxis::kRows) {
        CopyReversed(from + at, rows, row, to + at);
      } else {
        for (int64_t r = 0; r < image; r += row) {
          CopyReversed(from + at + r, x.dim(2), pixel, to + at + r);
        }
      }
    }
  });
  return y;
}

}  // namespace

Tensor FlipImages(const Tensor& x, const std::vector<bool>& flipped,
                  FlipAxis axis) {
  Tensor y = Flipped(x, flipped, axis);
  RecordOperation({x}, y,
                  [flipped, axis](const Tensor& dy, std::span<const bool>) {
                    return Gradients{Flipped(dy, flipped, axis)};
                  });
  return y;
}

}  // namespace lockstep::preprocessing_internal
