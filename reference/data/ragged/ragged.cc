#include "reference/data/ragged/ragged.h"

#include <algorithm>
#include <span>
#include <string>
#include <type_traits>

#include "reference/base/error.h"
#include "reference/tensor/host_tensor.h"
#include "reference/tensor/narrow_float.h"

namespace lockstep {
namespace {

constexpr size_t kSplits = 0;  // keys are sorted
constexpr size_t kValues = 1;

template <typename Leaf>
bool HasKeys(const Nest<Leaf>& nest) {
  return nest.kind() == NestKind::kDict && nest.size() == 2 &&
         nest.keys()[kSplits] == "row_splits" &&
         nest.keys()[kValues] == "values" && nest[kSplits].is_leaf() &&
         nest[kValues].is_leaf();
}

bool AreRagged(const TensorSpec& splits, const TensorSpec& values) {
  return splits.dtype == DType::kInt64 && splits.shape.rank() == 1 &&
         splits.shape[0] != 0 && values.shape.rank() > 0;
}

void CheckRagged(const char* operation, const Structure& nest) {
  if (IsRagged(nest)) return;
  throw InvalidArgument(
      "[{}] wanted a ragged batch, a dictionary of row_splits and values; got "
      "{}",
      operation, ToString(nest));
}

void CheckSplits(const char* operation, std::span<const int64_t> splits,
                 int64_t values) {
  if (!splits.empty() && splits.front() == 0 && splits.back() == values &&
      std::ranges::is_sorted(splits)) {
    return;
  }
  throw InvalidArgument(
      "[{}] row_splits must begin with 0, not decrease, and end with "
      "the number of values, {}",
      operation, values);
}

template <typename T>
T PaddingAs(double padding) {
  if constexpr (kIsNumber<T>) {
    const T value = CastNumber<T>(padding);
    if (!std::is_integral_v<T> || static_cast<double>(value) == padding) {
      return value;
    }
  } else if (padding == 0) {
    return T();
  }
  throw InvalidArgument("[RaggedToDense] {} cannot be padded by {}",
                        DTypeName(kDTypeOf<T>), padding);
}

}  // namespace

Structure MakeRagged(const Tensor& values, const Tensor& row_splits) {
  if (row_splits.rank() != 1 || row_splits.dtype() != DType::kInt64 ||
      values.rank() == 0) {
    throw InvalidArgument(
        "[MakeRagged] wanted rows of values and a vector of int64 row_splits, "
        "got {} and {}",
        Describe(values), Describe(row_splits));
  }
  CheckSplits("MakeRagged", row_splits.span<int64_t>(), values.dim(0));
  return Structure::Dict({{"row_splits", row_splits}, {"values", values}});
}

bool IsRagged(const Structure& nest) {
  return HasKeys(nest) && nest[kSplits].leaf().defined() &&
         nest[kValues].leaf().defined() &&
         AreRagged(SpecOf(nest[kSplits].leaf()), SpecOf(nest[kValues].leaf()));
}

bool IsRagged(const SpecStructure& spec) {
  return HasKeys(spec) && AreRagged(spec[kSplits], spec[kValues]);
}

int64_t RaggedRows(const Structure& ragged) {
  CheckRagged("RaggedRows", ragged);
  return ragged[kSplits].leaf().dim(0) - 1;
}

Tensor RaggedRow(const Structure& ragged, int64_t row) {
  const int64_t rows = RaggedRows(ragged);
  if (row < 0 || row >= rows) {
    throw InvalidArgument("[RaggedRow] row {} of {} does not exist", row, rows);
  }
  const Tensor& splits = ragged[kSplits];
  return ragged[kValues].leaf().Slice(splits.at<int64_t>(row),
                                      splits.at<int64_t>(row + 1));
}

Structure RaggedSlice(const Structure& ragged, int64_t begin, int64_t end) {
  const int64_t rows = RaggedRows(ragged);
  if (begin < 0 || begin > end || end > rows) {
    throw InvalidArgument("[RaggedSlice] rows {} to {} of {} do not exist",
                          begin, end, rows);
  }
  const Tensor& splits = ragged[kSplits];
  const int64_t first = splits.at<int64_t>(begin);
  Tensor own = EmptyOnHost(Shape{end - begin + 1}, DType::kInt64);
  for (int64_t row = begin; row <= end; ++row) {
    own.mutable_data<int64_t>()[row - begin] = splits.at<int64_t>(row) - first;
  }
  return MakeRagged(
      ragged[kValues].leaf().Slice(first, splits.at<int64_t>(end)), own);
}

Tensor RaggedToDense(const Structure& ragged, double padding) {
  const int64_t rows = RaggedRows(ragged);
  const Tensor& values = ragged[kValues];
  const std::span<const int64_t> splits =
      ragged[kSplits].leaf().span<int64_t>();
  CheckSplits("RaggedToDense", splits, values.dim(0));
  int64_t longest = 0;
  for (int64_t row = 0; row < rows; ++row) {
    longest = std::max(longest, splits[row + 1] - splits[row]);
  }
  const Shape part = values.shape().Tail();
  const int64_t width = part.num_elements();
  return VisitDType(values.dtype(), [&]<typename T>() {
    Tensor dense = Tensor::Full<T>(part.Prepend(longest).Prepend(rows),
                                   PaddingAs<T>(padding), CurrentHost());
    for (int64_t row = 0; row < rows; ++row) {
      std::copy(values.data<T>() + splits[row] * width,
                values.data<T>() + splits[row + 1] * width,
                dense.mutable_data<T>() + row * longest * width);
    }
    return dense;
  });
}

namespace data_internal {

std::vector<int64_t> RowCounts(const Structure& batch) {
  std::vector<int64_t> counts;
  MapComponents(
      batch,
      [&](const Tensor& leaf) {
        counts.push_back(leaf.dim(0));
        return leaf;
      },
      [&](const Structure& ragged) {
        counts.push_back(RaggedRows(ragged));
        return ragged;
      });
  return counts;
}

}  // namespace data_internal
}  // namespace lockstep
