#include "reference/preprocessing/output_mode.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep {
namespace {

using NamedMode = std::pair<OutputMode, std::string_view>;

constexpr std::array<NamedMode, 5> kNames = {
    {{OutputMode::kInt, "int"},
     {OutputMode::kOneHot, "one_hot"},
     {OutputMode::kMultiHot, "multi_hot"},
     {OutputMode::kCount, "count"},
     {OutputMode::kTfIdf, "tf_idf"}}};

// Adds one sample to a row of zeros.
template <typename T>
void FillRow(OutputMode mode, std::span<const int64_t> ids,
             std::span<const float> weights, T* row) {
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == kNoId) continue;
    if (mode == OutputMode::kMultiHot || mode == OutputMode::kOneHot) {
      row[ids[i]] = 1;
    } else {
      row[ids[i]] += weights.empty() ? T{1} : static_cast<T>(weights[i]);
    }
  }
}

template <typename T>
void FillRows(OutputMode mode, std::span<const int64_t> ids,
              std::span<const int64_t> ends, int64_t depth,
              const EncodeOptions& options, T* rows) {
  const std::span<const float> factors = options.category_weights;
  int64_t begin = 0;
  for (const int64_t end : ends) {
    const auto count = static_cast<size_t>(end - begin);
    const std::span<const float> weights =
        options.count_weights.empty()
            ? options.count_weights
            : options.count_weights.subspan(static_cast<size_t>(begin), count);
    FillRow(mode, ids.subspan(static_cast<size_t>(begin), count), weights,
            rows);
    for (size_t i = 0; mode == OutputMode::kTfIdf && i < factors.size(); ++i) {
      rows[i] *= static_cast<T>(factors[i]);
    }
    begin = end;
    rows += depth;
  }
}

// The shape without its last axis; a scalar is one sample.
Shape SamplesOf(const Shape& ids) {
  if (ids.rank() == 0) return ids;
  return Shape(ids.dims().first(static_cast<size_t>(ids.rank() - 1)));
}

Shape Append(const Shape& shape, int64_t dim) {
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  dims.push_back(dim);
  return Shape(dims);
}

}  // namespace

std::string_view OutputModeName(OutputMode mode) {
  return std::ranges::find(kNames, mode, &NamedMode::first)->second;
}

OutputMode ParseOutputMode(std::string_view name) {
  for (const auto& [mode, known] : kNames) {
    if (known == name) return mode;
  }
  throw InvalidArgument("[OutputMode] no output mode is named '{}'", name);
}

void CheckOutputMode(std::string_view operation, OutputMode mode,
                     std::initializer_list<OutputMode> allowed) {
  if (std::ranges::find(allowed, mode) != allowed.end()) return;
  std::string names;
  for (const OutputMode other : allowed) {
    names.append(names.empty() ? "" : ", ").append(OutputModeName(other));
  }
  throw InvalidArgument("[{}] output_mode must be one of {}, got {}", operation,
                        names, OutputModeName(mode));
}

Shape EncodedShape(OutputMode mode, const Shape& ids, int64_t depth) {
  if (mode == OutputMode::kInt) return ids;
  if (mode != OutputMode::kOneHot) return Append(SamplesOf(ids), depth);
  if (ids.rank() == 0) return {1, depth};
  const bool drops_last = ids.rank() > 1 && ids[ids.rank() - 1] == 1;
  return Append(drops_last ? SamplesOf(ids) : ids, depth);
}

Tensor EncodeSamples(OutputMode mode, std::span<const int64_t> ids,
                     std::span<const int64_t> ends, const Shape& samples,
                     int64_t depth, const EncodeOptions& options) {
  const bool floating =
      mode == OutputMode::kTfIdf || options.dtype == DType::kFloat32;
  Tensor rows = ZerosOnHost(Append(samples, depth),
                            floating ? DType::kFloat32 : DType::kInt64);
  if (floating) {
    FillRows(mode, ids, ends, depth, options, rows.mutable_data<float>());
  } else {
    FillRows(mode, ids, ends, depth, options, rows.mutable_data<int64_t>());
  }
  return rows;
}

Tensor EncodeIds(OutputMode mode, std::span<const int64_t> ids,
                 const Shape& shape, int64_t depth,
                 const EncodeOptions& options) {
  if (mode == OutputMode::kInt) {
    Tensor copy = EmptyOnHost(shape, DType::kInt64);
    std::ranges::copy(ids, copy.mutable_data<int64_t>());
    return copy;
  }
  const Shape encoded = EncodedShape(mode, shape, depth);
  const Shape samples = SamplesOf(encoded);
  const bool each = mode == OutputMode::kOneHot || shape.rank() == 0;
  const int64_t length = each ? 1 : shape[shape.rank() - 1];
  std::vector<int64_t> ends(static_cast<size_t>(samples.num_elements()));
  int64_t end = 0;
  for (int64_t& next : ends) next = end += length;
  return EncodeSamples(mode, ids, ends, samples, depth, options);
}

}  // namespace lockstep
