// Dimensions of a tensor, stored inline (no allocation).
//
//   Shape shape{64, 28, 28, 1};
//   shape.rank();             // 4
//   shape.num_elements();     // 50176
//   shape.WithDim(0, 5);      // (5, 28, 28, 1)
//   ToString(shape);          // "(64, 28, 28, 1)"
//
// In a TensorSpec a dimension may be unknown: kUnknownDim, written "None".
#ifndef LOCKSTEP_REFERENCE_TENSOR_SHAPE_H_
#define LOCKSTEP_REFERENCE_TENSOR_SHAPE_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace lockstep {

inline constexpr int64_t kUnknownDim = -1;

class Shape {
 public:
  static constexpr int kMaxRank = 8;

  Shape() = default;  // rank 0: a scalar
  Shape(std::initializer_list<int64_t> dims)
      : Shape(std::span<const int64_t>(dims.begin(), dims.size())) {}
  // Errors: InvalidArgument for more than kMaxRank dimensions or one below -1.
  explicit Shape(std::span<const int64_t> dims);

  int rank() const { return rank_; }
  // REQUIRES: 0 <= axis < rank().
  int64_t operator[](int axis) const { return dims_[axis]; }
  std::span<const int64_t> dims() const {
    return {dims_.data(), size_t(rank_)};
  }

  // Product of all dimensions. REQUIRES: all known.
  int64_t num_elements() const {
    int64_t product = 1;
    for (int i = 0; i < rank_; ++i) product *= dims_[i];
    return product;
  }
  // Whether all dimensions are known.
  bool fully_defined() const {
    return std::ranges::none_of(dims(),
                                [](int64_t d) { return d == kUnknownDim; });
  }

  // The same shape with another dimension `axis`. REQUIRES: axis in range.
  Shape WithDim(int axis, int64_t dim) const {
    Shape shape = *this;
    shape.dims_[axis] = dim;
    return shape;
  }
  // Without the first dimension. REQUIRES: rank() >= 1.
  Shape Tail() const { return Shape(dims().subspan(1)); }
  // With a new first dimension.
  Shape Prepend(int64_t dim) const;

  bool operator==(const Shape& other) const {
    return std::ranges::equal(dims(), other.dims());
  }

 private:
  int rank_ = 0;
  std::array<int64_t, kMaxRank> dims_{};
};

// "(2, 3)", "(5,)", "()", "(None, 3)".
std::string ToString(const Shape& shape);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TENSOR_SHAPE_H_
