// The quantiles that several workers find in their parts of the data.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_NUMERIC_QUANTILE_PARTS_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_NUMERIC_QUANTILE_PARTS_H_

#include <vector>

#include "reference/preprocessing/numeric/quantile_summary.h"
#include "reference/tensor/tensor.h"

namespace lockstep::preprocessing_internal {

// For other workers: the values and their weights.
std::vector<Tensor> ToTensors(const QuantileSummary& summary);

// The summary of all parts, merged in order. Of a single part with numbers it is
// that part.
QuantileSummary MergeSummaries(double epsilon,
                               const std::vector<std::vector<Tensor>>& parts);

}  // namespace lockstep::preprocessing_internal

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_NUMERIC_QUANTILE_PARTS_H_
