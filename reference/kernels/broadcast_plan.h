// numpy's broadcasting of two tensors: the shape of the result, and the offsets
// of the operands' elements.
#ifndef LOCKSTEP_REFERENCE_KERNELS_BROADCAST_PLAN_H_
#define LOCKSTEP_REFERENCE_KERNELS_BROADCAST_PLAN_H_

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "reference/tensor/shape.h"

namespace lockstep::kernels {

// numpy's rule for two shapes: aligned at the last axis, equal or 1.
//
//   BroadcastShape("Add", Shape{2, 1}, Shape{3});   // (2, 3)
//
// Errors: InvalidArgument, naming `operation`, if the shapes do not broadcast.
Shape BroadcastShape(std::string_view operation, const Shape& a,
                     const Shape& b);

}  // namespace lockstep::kernels

namespace lockstep::kernels_internal {

// The operands of a broadcast as rows: how far each advances per row and per
// column.
//
//   BroadcastPlan plan(Shape{2, 3}, Shape{2, 1}, Shape{3});
//   plan.rows();      // 2
//   plan.columns();   // 3
//   plan.ForRows(0, 2, [](int64_t row, int64_t a, int64_t b) {...});
//                     // (0, 0, 0), (1, 1, 0): offsets of rows
//
// Axes along which both operands are contiguous are merged, so that operands of
// equal shape are one row.
class BroadcastPlan {
 public:
  // REQUIRES: a and b broadcast to `out`.
  BroadcastPlan(const Shape& out, const Shape& a, const Shape& b);

  struct Axis {
    int64_t size = 1;
    int64_t a = 0;  // distance between neighbours along this axis
    int64_t b = 0;
  };
  // At least one axis; the last is the columns.
  std::span<const Axis> axes() const {
    return std::span(axes_).first(static_cast<size_t>(rank_));
  }

  int64_t rows() const { return rows_; }
  int64_t columns() const { return axes_[rank_ - 1].size; }
  // The distance between neighbouring columns: 0 or 1.
  int64_t a_stride() const { return axes_[rank_ - 1].a; }
  int64_t b_stride() const { return axes_[rank_ - 1].b; }

  template <class Body>
  void ForRows(int64_t begin, int64_t end, const Body& body) const {
    for (int64_t row = begin; row < end; ++row) {
      int64_t a = 0;
      int64_t b = 0;
      int64_t rest = row;
      for (int i = rank_ - 2; i >= 0; --i) {
        const int64_t index = rest % axes_[i].size;
        rest /= axes_[i].size;
        a += index * axes_[i].a;
        b += index * axes_[i].b;
      }
      body(row, a, b);
    }
  }

 private:
  void Append(const Axis& axis);

  int rank_ = 0;
  int64_t rows_ = 1;
  std::array<Axis, Shape::kMaxRank + 1> axes_;
};

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_BROADCAST_PLAN_H_
