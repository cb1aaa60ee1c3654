// The moments of batches, from one worker or several.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_NUMERIC_BATCH_MOMENTS_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_NUMERIC_BATCH_MOMENTS_H_

#include <optional>
#include <string_view>
#include <vector>

#include "reference/preprocessing/numeric/moments.h"
#include "reference/tensor/tensor.h"

namespace lockstep::preprocessing_internal {

struct BatchMoments {
  Shape shape;  // of the first batch
  Moments moments;
};

// For other workers; of no batches an empty list.
std::vector<Tensor> ToTensors(const std::optional<BatchMoments>& found);

// The moments of all parts, merged in order; nullopt if none has data. Errors:
// InvalidArgument, led by `operation`, if numbers of columns differ.
std::optional<BatchMoments> MergeMoments(
    std::string_view operation, const std::vector<std::vector<Tensor>>& parts);

}  // namespace lockstep::preprocessing_internal

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_NUMERIC_BATCH_MOMENTS_H_
