// How many shards a variable of a parameter-server strategy has.
//
//   FixedShardsPartitioner(2)({Shape{10, 3}});        // 2
//   MinSizePartitioner(256 << 10, 3)({Shape{10, 3}}); // 1
//
// A strategy does not partition scalars, nor variables with a first dimension
// of 1. All refuse a spec of rank 0 (InvalidArgument).
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_PARTITIONERS_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_PARTITIONERS_H_

#include <cstdint>
#include <vector>

#include "reference/tensor/tensor.h"

namespace lockstep {

// Always this many, at most one per row. Errors: InvalidArgument below 1.
class FixedShardsPartitioner {
 public:
  explicit FixedShardsPartitioner(int64_t num_shards);
  int64_t operator()(const TensorSpec& spec) const;

 private:
  int64_t num_shards_;
};

// A shard for every `min_shard_bytes` that are begun, up to `max_shards`. Shards
// may have less than that many bytes, as TensorFlow's do (its documentation says
// otherwise). Errors: InvalidArgument for numbers below 1.
class MinSizePartitioner {
 public:
  explicit MinSizePartitioner(int64_t min_shard_bytes = 256 << 10,
                              int64_t max_shards = 1);
  int64_t operator()(const TensorSpec& spec) const;

 private:
  int64_t min_shard_bytes_;
  int64_t max_shards_;
};

// The fewest shards, up to `max_shards` (0: any number), of at most
// `max_shard_bytes` each. Errors: InvalidArgument for other numbers below 1.
class MaxSizePartitioner {
 public:
  explicit MaxSizePartitioner(int64_t max_shard_bytes, int64_t max_shards = 0);
  int64_t operator()(const TensorSpec& spec) const;

 private:
  int64_t max_shard_bytes_;
  int64_t max_shards_;
};

// The rows of each shard: the first shards get one more where `rows` is not a
// multiple. RowsOfShards(10, 4): {3, 3, 2, 2}. REQUIRES: shards >= 1.
std::vector<int64_t> RowsOfShards(int64_t rows, int64_t shards);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_VARIABLES_PARTITIONERS_H_
