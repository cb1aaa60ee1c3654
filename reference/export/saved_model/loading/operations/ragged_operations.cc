// Operations on rows of different lengths, and sums and ranges that describe them.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "reference/export/saved_model/loading/operations/host_values.h"
#include "reference/export/saved_model/loading/operations/operation.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::export_internal {
namespace {

Operation Cumsum(const NodeAttributes& attributes) {
  attributes.ExpectInputs(2);
  attributes.Type("T");
  if (attributes.Flag("exclusive") || attributes.Flag("reverse")) {
    throw Unimplemented("{}: only inclusive sums from the start are supported",
                        attributes.place());
  }
  return {[](Tensors inputs) {
            const Tensor x = inputs[0].ToHost();
            if (x.rank() != 1) {
              throw InvalidArgument(
                  "sums of {}; only those of rank 1 are "
                  "supported",
                  Describe(x));
            }
            return ForNumber(x.dtype(), [&]<typename T>() {
              Tensor sums = EmptyOnHost(x.shape(), x.dtype());
              T sum{};
              for (int64_t i = 0; i < x.num_elements(); ++i) {
                if constexpr (std::is_integral_v<T>) {
                  if (__builtin_add_overflow(sum, x.data<T>()[i], &sum)) {
                    throw InvalidArgument("sums of {} overflow", Describe(x));
                  }
                } else {
                  sum += x.data<T>()[i];
                }
                sums.mutable_data<T>()[i] = sum;
              }
              return InPlace(sums);
            });
          },
          {}};
}

// Where each row of a ragged tensor ends, from the tensors of its partition.
using EndsOf =
    std::function<std::vector<int64_t>(Tensors partition, int64_t values)>;

std::vector<int64_t> EndsOfSplits(Tensors partition, int64_t values) {
  auto ends = SplitsIn(partition[0], values);
  ends.erase(ends.begin());
  return ends;
}

// The number of rows, and the row of each value in ascending order.
std::vector<int64_t> EndsOfRowIds(Tensors partition, int64_t values) {
  const auto row_of = IntegersIn("the rows", partition[1]);
  const int64_t rows = WholeNumber(
      "the number of rows", partition[0],
      std::max<int64_t>(values, 1) + kMostEntries / (int64_t{1} << 16));
  if (std::ssize(row_of) != values || !std::ranges::is_sorted(row_of) ||
      (!row_of.empty() && (row_of.front() < 0 || row_of.back() >= rows))) {
    throw InvalidArgument("rows of {} of {} values in {} rows",
                          Describe(partition[1]), values, rows);
  }
  std::vector<int64_t> ends;
  size_t end = 0;
  for (int64_t row = 0; row < rows; ++row) {
    while (end < row_of.size() && row_of[end] <= row) ++end;
    ends.push_back(static_cast<int64_t>(end));
  }
  return ends;
}

// The rows and their length; -1 in `shape` is decided by the values.
Shape PaddedShape(const Tensor& shape, const std::vector<int64_t>& ends) {
  int64_t longest = 0, begin = 0;
  for (const int64_t end : ends) {
    longest = std::max(longest, end - begin);
    begin = end;
  }
  const auto given = IntegersIn("the shape", shape);
  int64_t rows = std::ssize(ends);
  if (shape.rank() == 1) {
    if (given.size() != 2) {
      throw InvalidArgument("rows in a shape of {} axes", given.size());
    }
    if (given[0] >= 0) rows = given[0];
    if (given[1] >= 0) longest = given[1];
  }
  if (rows != std::ssize(ends)) {
    throw InvalidArgument("{} rows in a shape of {}", ends.size(), rows);
  }
  return Shape{rows, longest};
}

template <typename T>
Tensor Padded(const Tensor& values, const T& otherwise, const Shape& shape,
              const std::vector<int64_t>& ends) {
  Tensor result = EmptyOnHost(shape, kDTypeOf<T>);
  T* row = result.mutable_data<T>();
  std::fill_n(row, result.num_elements(), otherwise);
  int64_t begin = 0;
  for (const int64_t end : ends) {
    std::copy_n(values.data<T>() + begin, std::min(end - begin, shape[1]), row);
    row += shape[1];
    begin = end;
  }
  return InPlace(result);
}

Operation RaggedTensorToTensor(const NodeAttributes& attributes) {
  attributes.Type("T");
  const auto kinds = attributes.Texts("row_partition_types");
  const bool splits = kinds == std::vector<std::string>{"ROW_SPLITS"};
  if (!splits &&
      kinds != std::vector<std::string>{"FIRST_DIM_SIZE", "VALUE_ROWIDS"}) {
    throw Unimplemented("{}: only rows of one axis are supported",
                        attributes.place());
  }
  attributes.ExpectInputs(splits ? 4 : 5);
  const EndsOf ends_of = splits ? EndsOf(EndsOfSplits) : EndsOf(EndsOfRowIds);
  return {[ends_of](Tensors inputs) {
            const Tensor values = inputs[1].ToHost();
            CheckSameType(values, inputs[2]);
            if (values.rank() != 1 || inputs[2].num_elements() != 1) {
              throw InvalidArgument("rows of {} with {} between them",
                                    Describe(values), Describe(inputs[2]));
            }
            const auto ends = ends_of(inputs.subspan(3), values.num_elements());
            const Shape shape = PaddedShape(inputs[0], ends);
            return ForNumber(values.dtype(), [&]<typename T>() {
              return Padded<T>(values, inputs[2].item<T>(), shape, ends);
            });
          },
          [ends_of](Tensors inputs) {
            const auto ends =
                ends_of(inputs.subspan(3), inputs[1].num_elements());
            const Shape shape = PaddedShape(inputs[0], ends);
            return 8 * static_cast<double>(shape[0]) *
                   static_cast<double>(shape[1]);
          }};
}

// The number of steps of a range.
int64_t StepsOf(Tensors inputs) {
  std::array<int64_t, 3> numbers;
  for (size_t i = 0; i < 3; ++i) {
    const auto one = IntegersIn("a bound", inputs[i]);
    if (one.size() != 1 || one[0] > kMostEntries || one[0] < -kMostEntries) {
      throw InvalidArgument("a range with the bound {}", Describe(inputs[i]));
    }
    numbers[i] = one[0];
  }
  const auto [start, limit, delta] = numbers;
  if (delta <= 0) {
    throw InvalidArgument("a step of {}; only positive ones are supported",
                          delta);
  }
  return limit <= start ? 0 : (limit - start + delta - 1) / delta;
}

Operation Range(const NodeAttributes& attributes) {
  attributes.ExpectInputs(3);
  const DType type = attributes.Type("Tidx", DType::kInt32);
  if (!IsInteger(type)) {
    throw Unimplemented("{}: only int32 and int64 are supported",
                        attributes.place());
  }
  return {[type](Tensors inputs) {
            const int64_t start = IntegersIn("a bound", inputs[0])[0];
            const int64_t delta = IntegersIn("a step", inputs[2])[0];
            std::vector<int64_t> numbers;
            for (int64_t i = 0, n = StepsOf(inputs); i < n; ++i) {
              numbers.push_back(start + i * delta);
            }
            return Tensor::FromVector(numbers, Shape{std::ssize(numbers)},
                                      Device::Host())
                .Cast(type);
          },
          [](Tensors inputs) {
            return 32 * (1 + static_cast<double>(StepsOf(inputs)));
          }};
}

// Values in their places in a matrix; others are a default.
Operation SparseToDense(const NodeAttributes& attributes) {
  attributes.ExpectInputs(4);
  const auto shape_of = [](const Tensor& dims) {
    const auto sizes = IntegersIn("the shape", dims);
    if (sizes.size() != 2 || sizes[0] < 0 || sizes[1] < 0 ||
        sizes[0] > kMostEntries || sizes[1] > kMostEntries) {
      throw InvalidArgument("the shape {} of {}", ToString(dims),
                            Describe(dims));
    }
    return Shape(sizes);
  };
  const auto fill = [shape_of]<typename T>(Tensors inputs) {
    const Shape shape = shape_of(inputs[1]);
    const Tensor& places = inputs[0];
    const Tensor& values = inputs[2];
    if (places.rank() != 2 || places.dim(1) != 2 || values.rank() != 1 ||
        values.dim(0) != places.dim(0)) {
      throw InvalidArgument("{} at {}", Describe(values), Describe(places));
    }
    const auto at =
        IntegersIn("the places", places.Reshape(Shape{2 * places.dim(0)}));
    Tensor dense = EmptyOnHost(shape, kDTypeOf<T>);
    T* out = dense.mutable_data<T>();
    std::fill_n(out, dense.num_elements(), inputs[3].item<T>());
    for (size_t i = 0; i < at.size(); i += 2) {
      if (at[i] < 0 || at[i] >= shape[0] || at[i + 1] < 0 ||
          at[i + 1] >= shape[1]) {
        throw InvalidArgument("a value at {}, {} of {}", at[i], at[i + 1],
                              ToString(shape));
      }
      out[at[i] * shape[1] + at[i + 1]] = values.data<T>()[i / 2];
    }
    return dense;
  };
  return {[fill](Tensors inputs) {
            CheckSameType(inputs[2], inputs[3]);
            if (inputs[2].dtype() != DType::kInt64) {
              throw InvalidArgument("{}, where only int64 is supported",
                                    Describe(inputs[2]));
            }
            return fill.template operator()<int64_t>(inputs);
          },
          [shape_of](Tensors inputs) {
            const Shape shape = shape_of(inputs[1]);
            return 8 * static_cast<double>(shape[0]) *
                   static_cast<double>(shape[1]);
          }};
}

}  // namespace

void AddRaggedOperations(OperationTable& table) {
  table.insert({{"Cumsum", Cumsum},
                {"RaggedTensorToTensor", RaggedTensorToTensor},
                {"Range", Range},
                {"SparseToDense", SparseToDense}});
}

}  // namespace lockstep::export_internal
