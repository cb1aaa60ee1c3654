#include "reference/kernels/random/dropout_mask.h"

#include <algorithm>

#include "reference/base/error.h"
#include "reference/base/random.h"
#include "reference/base/threads.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

constexpr int64_t kChunk = 4096;

}  // namespace

Tensor DropoutMask(const Shape& shape, double rate, uint64_t key) {
  if (!(rate >= 0 && rate <= 1)) {
    throw InvalidArgument("[Dropout] rate must be in [0, 1], got {}", rate);
  }
  Tensor mask = EmptyOnHost(shape);
  float* elements = mask.mutable_data<float>();
  const int64_t count = mask.num_elements();
  const auto kept = static_cast<float>(1 / (1 - rate));
  ParallelFor((count + kChunk - 1) / kChunk, /*grain=*/4,
              [&](int64_t begin, int64_t end, int) {
                for (int64_t chunk = begin; chunk < end; ++chunk) {
                  Random random(key, chunk);
                  const int64_t last = std::min((chunk + 1) * kChunk, count);
                  for (int64_t i = chunk * kChunk; i < last; ++i) {
                    elements[i] = random.UniformFloat() < rate ? 0 : kept;
                  }
                }
              });
  return mask;
}

}  // namespace lockstep::kernels
