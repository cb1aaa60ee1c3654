#include "benchmarks/micro/pipelines/image_rows.h"

#include <numeric>
#include <vector>

namespace lockstep::benchmarks {

Dataset ImageRows(DType dtype, int64_t count) {
  const Tensor images = Tensor::Zeros(Shape{count, 28, 28, 1}, dtype);
  std::vector<int64_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return Dataset::FromTensorSlices(
      Structure::Tuple({images, Tensor::FromVector<int64_t>(numbers)}));
}

}  // namespace lockstep::benchmarks
