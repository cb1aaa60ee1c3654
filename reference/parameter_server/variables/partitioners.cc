#include "reference/parameter_server/variables/partitioners.h"

#include <algorithm>

#include "reference/base/error.h"

namespace lockstep {
namespace {

// As TensorFlow counts a string for this purpose.
constexpr int64_t kStringBytes = 16;

int64_t CheckPositive(const char* partitioner, const char* name,
                      int64_t number) {
  if (number > 0) return number;
  throw InvalidArgument("[{}] {} must be positive, got {}", partitioner, name,
                        number);
}

// The length of axis 0.
int64_t RowsOf(const char* partitioner, const TensorSpec& spec) {
  if (spec.shape.rank() > 0 && spec.shape.fully_defined()) {
    return spec.shape[0];
  }
  throw InvalidArgument(
      "[{}] only a shape with rows can be partitioned, got {}", partitioner,
      ToString(spec));
}

int64_t ElementBytes(DType dtype) {
  return dtype == DType::kString ? kStringBytes
                                 : static_cast<int64_t>(DTypeSize(dtype));
}

int64_t CeilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

// At least one, at most one per row.
int64_t Limit(int64_t shards, int64_t rows) {
  return std::max<int64_t>(std::min(shards, rows), 1);
}

}  // namespace

FixedShardsPartitioner::FixedShardsPartitioner(int64_t num_shards)
    : num_shards_(
          CheckPositive("FixedShardsPartitioner", "num_shards", num_shards)) {}

int64_t FixedShardsPartitioner::operator()(const TensorSpec& spec) const {
  return Limit(num_shards_, RowsOf("FixedShardsPartitioner", spec));
}

MinSizePartitioner::MinSizePartitioner(int64_t min_shard_bytes,
                                       int64_t max_shards)
    : min_shard_bytes_(CheckPositive("MinSizePartitioner", "min_shard_bytes",
                                     min_shard_bytes)),
      max_shards_(
          CheckPositive("MinSizePartitioner", "max_shards", max_shards)) {}

int64_t MinSizePartitioner::operator()(const TensorSpec& spec) const {
  const int64_t rows = RowsOf("MinSizePartitioner", spec);
  const int64_t bytes = spec.shape.num_elements() * ElementBytes(spec.dtype);
  const int64_t begun = CeilDivide(bytes, min_shard_bytes_);
  return Limit(std::min(begun, max_shards_), rows);
}

MaxSizePartitioner::MaxSizePartitioner(int64_t max_shard_bytes,
                                       int64_t max_shards)
    : max_shard_bytes_(CheckPositive("MaxSizePartitioner", "max_shard_bytes",
                                     max_shard_bytes)),
      max_shards_(max_shards == 0 ? 0
                                  : CheckPositive("MaxSizePartitioner",
                                                  "max_shards", max_shards)) {}

int64_t MaxSizePartitioner::operator()(const TensorSpec& spec) const {
  const int64_t rows = RowsOf("MaxSizePartitioner", spec);
  if (rows == 0) return 1;
  const int64_t row_bytes =
      spec.shape.num_elements() / rows * ElementBytes(spec.dtype);
  const int64_t rows_of_shard =
      row_bytes == 0 ? rows
                     : std::max<int64_t>(max_shard_bytes_ / row_bytes, 1);
  int64_t shards = CeilDivide(rows, rows_of_shard);
  if (max_shards_ > 0) shards = std::min(shards, max_shards_);
  return Limit(shards, rows);
}

std::vector<int64_t> RowsOfShards(int64_t rows, int64_t shards) {
  std::vector<int64_t> sizes(static_cast<size_t>(shards), rows / shards);
  std::fill_n(sizes.begin(), rows % shards, rows / shards + 1);
  return sizes;
}

}  // namespace lockstep
