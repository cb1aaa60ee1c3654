#include "reference/export/saved_model/loading/operations/strided_slice.h"

#include <algorithm>

#include "reference/base/error.h"

namespace lockstep::export_internal {
namespace {

// Larger than any axis: with such a stride, one element is taken.
constexpr int64_t kLargestStride = int64_t{1} << 40;

bool Has(int64_t mask, size_t place) { return ((mask >> place) & 1) != 0; }

}  // namespace

Slicing::Axis Slicing::Range(int64_t size, int64_t stride, int64_t begin,
                             int64_t end, bool from_first, bool to_last) {
  if (stride == 0) throw InvalidArgument("a stride must not be 0");
  stride = std::clamp(stride, -kLargestStride, kLargestStride);
  const bool forward = stride > 0;
  const int64_t low = forward ? 0 : -1, high = forward ? size : size - 1;
  const auto place = [&](int64_t index) {
    return std::clamp(index < 0 ? index + size : index, low, high);
  };
  const int64_t first = from_first ? (forward ? low : high) : place(begin);
  const int64_t last = to_last ? (forward ? high : low) : place(end);
  const int64_t way = forward ? last - first : first - last;
  const int64_t step = forward ? stride : -stride;
  return {first, stride, way <= 0 ? 0 : (way - 1) / step + 1};
}

Slicing::Axis Slicing::One(int64_t size, int64_t index) {
  const int64_t place = index < 0 ? index + size : index;
  if (place < 0 || place >= size) {
    throw InvalidArgument("element {} of an axis of {}", index, size);
  }
  return {place, 1, 1};
}

Slicing::Slicing(const Shape& x, const SliceMasks& masks,
                 const std::vector<int64_t>& begin,
                 const std::vector<int64_t>& end,
                 const std::vector<int64_t>& strides) {
  const size_t count = begin.size();
  if (end.size() != count || strides.size() != count || count > 32) {
    throw InvalidArgument("begin, end and strides have {}, {} and {} numbers",
                          count, end.size(), strides.size());
  }
  int named = 0;
  bool has_ellipsis = false;
  for (size_t i = 0; i < count; ++i) {
    if (Has(masks.ellipsis, i)) {
      if (has_ellipsis) throw InvalidArgument("there are two ellipses");
      has_ellipsis = true;
    } else if (!Has(masks.new_axis, i)) {
      ++named;
    }
  }
  if (named > x.rank()) {
    throw InvalidArgument("{} axes of {} are sliced", named, ToString(x));
  }
  std::vector<int64_t> dims;
  const auto whole = [&](int axes) {
    for (int i = 0; i < axes; ++i) {
      const int64_t size = x[static_cast<int>(axes_.size())];
      axes_.push_back({0, 1, size});
      dims.push_back(size);
    }
  };
  for (size_t i = 0; i < count; ++i) {
    if (Has(masks.ellipsis, i)) {
      whole(x.rank() - named);
      continue;
    }
    if (Has(masks.new_axis, i)) {
      dims.push_back(1);
      continue;
    }
    const int64_t size = x[static_cast<int>(axes_.size())];
    if (Has(masks.shrink_axis, i)) {
      axes_.push_back(One(size, begin[i]));
    } else {
      axes_.push_back(Range(size, strides[i], begin[i], end[i],
                            Has(masks.begin, i), Has(masks.end, i)));
      dims.push_back(axes_.back().count);
    }
  }
  whole(x.rank() - static_cast<int>(axes_.size()));
  shape_ = Shape(dims);
  steps_.assign(axes_.size(), 1);
  for (size_t i = axes_.size(); i-- > 1;) {
    steps_[i - 1] = steps_[i] * x[static_cast<int>(i)];
  }
}

std::vector<int64_t> Slicing::Indices() const {
  std::vector<int64_t> indices = {0};
  for (size_t i = 0; i < axes_.size(); ++i) {
    std::vector<int64_t> finer;
    finer.reserve(indices.size() * static_cast<size_t>(axes_[i].count));
    for (const int64_t index : indices) {
      for (int64_t k = 0; k < axes_[i].count; ++k) {
        const int64_t place = axes_[i].first + k * axes_[i].stride;
        finer.push_back(index + place * steps_[i]);
      }
    }
    indices = std::move(finer);
  }
  return indices;
}

}  // namespace lockstep::export_internal
