// Operations on ids: bins of numbers, counts of ids, and vectors of them.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "reference/export/saved_model/loading/operations/host_values.h"
#include "reference/export/saved_model/loading/operations/operation.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::export_internal {
namespace {

// Counts of ids in rows: row i ends before ids[ends[i]].
template <typename T>
Tensor Counts(const std::vector<int64_t>& ids, const std::vector<int64_t>& ends,
              const Tensor& weights, int64_t size, bool binary) {
  Tensor counts = ZerosOnHost(Shape{std::ssize(ends), size}, kDTypeOf<T>);
  T* row = counts.mutable_data<T>();
  size_t i = 0;
  for (const int64_t end : ends) {
    for (; i < static_cast<size_t>(end); ++i) {
      if (ids[i] < 0) throw InvalidArgument("the id {} is negative", ids[i]);
      if (ids[i] >= size) continue;
      T& count = row[ids[i]];
      const T weight =
          weights.num_elements() == 0 ? T{1} : weights.data<T>()[i];
      count = binary ? T{1} : count + weight;
    }
    row += size;
  }
  return InPlace(counts);
}

// Of `ids`, whose rows end at `ends`. `inputs` are the size and weights.
Tensor CountIds(const Tensor& ids, const std::vector<int64_t>& ends,
                Tensors inputs, bool binary) {
  const int64_t size = WholeNumber("the size", inputs[0], kMostEntries);
  const Tensor weights = inputs[1].ToHost();
  if (weights.num_elements() != 0 &&
      weights.num_elements() != ids.num_elements()) {
    throw InvalidArgument("weights of {} for ids of {}", Describe(weights),
                          Describe(ids));
  }
  const auto numbers =
      IntegersIn("the ids", ids.Reshape(Shape{ids.num_elements()}));
  return ForNumber(weights.dtype(), [&]<typename T>() {
    return Counts<T>(numbers, ends, weights, size, binary);
  });
}

double CountBytes(double rows, Tensors inputs) {
  return 8 * (rows + 1) *
             (1 + static_cast<double>(
                      WholeNumber("the size", inputs[0], kMostEntries))) +
         2 * BytesOf(inputs);
}

Operation DenseBincount(const NodeAttributes& attributes) {
  attributes.ExpectInputs(3);
  attributes.Type("T");
  const bool binary = attributes.Flag("binary_output");
  return {[binary](Tensors inputs) {
            const Tensor& ids = inputs[0];
            if (ids.rank() < 1 || ids.rank() > 2) {
              throw InvalidArgument("counts of {}, which has no rank 1 or 2",
                                    Describe(ids));
            }
            const bool one = ids.rank() == 1;
            const int64_t length = ids.dim(ids.rank() - 1);
            std::vector<int64_t> ends;
            for (int64_t i = 1; i <= (one ? 1 : ids.dim(0)); ++i) {
              ends.push_back(i * length);
            }
            const Tensor counts =
                CountIds(ids, ends, inputs.subspan(1), binary);
            return one ? counts.Reshape(Shape{counts.dim(1)}) : counts;
          },
          [](Tensors inputs) {
            const Tensor& ids = inputs[0];
            const int64_t rows = ids.rank() == 2 ? ids.dim(0) : 1;
            return 4 * BytesOf(inputs) +
                   CountBytes(static_cast<double>(rows), inputs.subspan(1));
          }};
}

Operation RaggedBincount(const NodeAttributes& attributes) {
  attributes.ExpectInputs(4);
  attributes.Type("T");
  const bool binary = attributes.Flag("binary_output");
  return {[binary](Tensors inputs) {
            auto ends = SplitsIn(inputs[0], inputs[1].num_elements());
            ends.erase(ends.begin());
            return CountIds(inputs[1], ends, inputs.subspan(2), binary);
          },
          [](Tensors inputs) {
            return 4 * BytesOf(inputs) +
                   CountBytes(static_cast<double>(inputs[0].num_elements()),
                              inputs.subspan(2));
          }};
}

template <typename T>
Tensor Bins(const Tensor& x, const std::vector<float>& boundaries) {
  Tensor bins = EmptyOnHost(x.shape(), DType::kInt32);
  std::ranges::transform(x.span<T>(), bins.mutable_data<int32_t>(), [&](T y) {
    return static_cast<int32_t>(
        std::ranges::upper_bound(boundaries, static_cast<float>(y)) -
        boundaries.begin());
  });
  return bins;
}

Operation Bucketize(const NodeAttributes& attributes) {
  attributes.ExpectInputs(1);
  attributes.Type("T");
  const std::vector<float> boundaries = attributes.Floats("boundaries");
  if (!std::ranges::is_sorted(boundaries)) {
    throw DataLoss("{}: its boundaries are not sorted", attributes.place());
  }
  return {[boundaries](Tensors inputs) {
            const Tensor x = inputs[0].ToHost();
            return ForNumber(x.dtype(), [&]<typename T>() {
              return Bins<T>(x, boundaries);
            });
          },
          [](Tensors inputs) { return 2 * BytesOf(inputs); }};
}

template <typename T>
Tensor OneHotOf(const std::vector<int64_t>& ids, std::vector<int64_t> dims,
                int64_t depth, Tensors on_off) {
  dims.push_back(depth);
  Tensor result = EmptyOnHost(Shape(dims), kDTypeOf<T>);
  T* row = result.mutable_data<T>();
  std::fill_n(row, result.num_elements(), on_off[1].item<T>());
  for (const int64_t id : ids) {
    if (id >= 0 && id < depth) row[id] = on_off[0].item<T>();
    row += depth;
  }
  return InPlace(result);
}

Operation OneHot(const NodeAttributes& attributes) {
  attributes.ExpectInputs(4);
  attributes.Type("T");
  if (attributes.Integer("axis", -1) != -1) {
    throw Unimplemented("{}: only vectors in the last axis are supported",
                        attributes.place());
  }
  return {
      [](Tensors inputs) {
        const Tensor& ids = inputs[0];
        if (ids.rank() >= Shape::kMaxRank) {
          throw InvalidArgument("vectors of {}", Describe(ids));
        }
        const auto numbers =
            IntegersIn("the ids", ids.Reshape(Shape{ids.num_elements()}));
        const int64_t depth = WholeNumber("the depth", inputs[1], kMostEntries);
        CheckSameType(inputs[2], inputs[3]);
        return ForNumber(inputs[2].dtype(), [&]<typename T>() {
          return OneHotOf<T>(
              numbers, {ids.shape().dims().begin(), ids.shape().dims().end()},
              depth, inputs.subspan(2));
        });
      },
      [](Tensors inputs) {
        return 8 * (1 + static_cast<double>(inputs[0].num_elements())) *
               (2 + static_cast<double>(
                        WholeNumber("the depth", inputs[1], kMostEntries)));
      }};
}

}  // namespace

void AddIdOperations(OperationTable& table) {
  table.insert({{"Bucketize", Bucketize},
                {"DenseBincount", DenseBincount},
                {"OneHot", OneHot},
                {"RaggedBincount", RaggedBincount}});
}

}  // namespace lockstep::export_internal
