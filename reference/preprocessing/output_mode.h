// What a layer of categories returns: their numbers, or samples as vectors with
// an entry for each category.
//
//   ids [[0, 2], [2, 2]] of 4 categories:
//     kInt       [[0, 2], [2, 2]]                  int64
//     kOneHot    one vector for each number        (2, 2, 4)
//     kMultiHot  [[1, 0, 1, 0], [0, 0, 1, 0]]      which ones a sample has
//     kCount     [[1, 0, 1, 0], [0, 0, 2, 0]]      how often
//     kTfIdf     the counts times a weight of each category
//
// A sample is the last axis, or the number itself for a scalar. In kOneHot a
// last axis of one number is dropped: (2, 1) becomes (2, 4).
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_OUTPUT_MODE_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_OUTPUT_MODE_H_

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "reference/tensor/shape.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

enum class OutputMode { kInt, kOneHot, kMultiHot, kCount, kTfIdf };

// "int", "one_hot", "multi_hot", "count", "tf_idf", as Keras writes them.
std::string_view OutputModeName(OutputMode mode);
// Errors: InvalidArgument for other names.
OutputMode ParseOutputMode(std::string_view name);

// Errors: InvalidArgument, led by `operation`, unless `mode` is one of those.
void CheckOutputMode(std::string_view operation, OutputMode mode,
                     std::initializer_list<OutputMode> allowed);

// The shape of what EncodeIds returns; dimensions and depth may be unknown.
Shape EncodedShape(OutputMode mode, const Shape& ids, int64_t depth);

// Leaves an id out of the sample: a vector gets no entry for it.
inline constexpr int64_t kNoId = -1;

struct EncodeOptions {
  DType dtype = DType::kFloat32;  // of vectors: float32 or int64
  // One for each id, instead of 1 for each; kCount only.
  std::span<const float> count_weights = {};
  // One for each category, a factor of its count; kTfIdf only.
  std::span<const float> category_weights = {};
};

// Encodes ids of this shape in row-major order. kTfIdf is float32, kInt int64.
// REQUIRES: ids in 0..depth-1, or kNoId; as many weights as said above.
Tensor EncodeIds(OutputMode mode, std::span<const int64_t> ids,
                 const Shape& shape, int64_t depth,
                 const EncodeOptions& options = {});

// The same for samples of different lengths: sample i ends before ids[ends[i]].
// The result has the shape `samples`, and a last axis of `depth`. REQUIRES:
// kMultiHot, kCount or kTfIdf; as many ends as samples.
Tensor EncodeSamples(OutputMode mode, std::span<const int64_t> ids,
                     std::span<const int64_t> ends, const Shape& samples,
                     int64_t depth, const EncodeOptions& options = {});

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_OUTPUT_MODE_H_
