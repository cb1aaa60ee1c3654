#include "reference/tensor/shape.h"

#include "reference/base/error.h"

namespace lockstep {

Shape::Shape(std::span<const int64_t> dims) {
  if (dims.size() > kMaxRank) {
    throw InvalidArgument("[Shape] at most {} dimensions are possible, got {}",
                          int{kMaxRank}, dims.size());
  }
  rank_ = static_cast<int>(dims.size());
  for (int i = 0; i < rank_; ++i) {
    if (dims[i] < kUnknownDim) {
      throw InvalidArgument("[Shape] dimension {} must not be negative, got {}",
                            i, dims[i]);
    }
    dims_[i] = dims[i];
  }
}

Shape Shape::Prepend(int64_t dim) const {
  std::array<int64_t, kMaxRank + 1> dims;
  dims[0] = dim;
  std::ranges::copy(this->dims(), dims.begin() + 1);
  return Shape(std::span<const int64_t>(dims.data(), size_t(rank_) + 1));
}

std::string ToString(const Shape& shape) {
  std::string text = "(";
  for (int i = 0; i < shape.rank(); ++i) {
    if (i > 0) text += ", ";
    text += shape[i] == kUnknownDim ? "None" : std::to_string(shape[i]);
  }
  if (shape.rank() == 1) text += ",";
  return text + ")";
}

}  // namespace lockstep
