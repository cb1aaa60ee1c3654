// Reads the data from which a preprocessing layer computes its state.
//
//   ForEachBatch("Normalization.Adapt", dataset,
//                [&](const Tensor& x) { moments.Add(x.span<float>()); });
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_NUMERIC_ADAPTATION_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_NUMERIC_ADAPTATION_H_

#include <functional>
#include <string_view>

#include "reference/data/dataset.h"
#include "reference/tensor/tensor.h"

namespace lockstep::preprocessing_internal {

// Errors: FailedPrecondition, led by `operation`, inside Strategy::Run, where
// each replica would see other data.
void CheckMayAdapt(std::string_view operation);

// Calls `add` with the first tensor of each element, as Keras does with (x, y).
// A vector, one row without a batch, becomes a batch of one row.
//
// Errors: as CheckMayAdapt; InvalidArgument for an endless dataset and for
// elements that are dictionaries or hold strings.
void ForEachBatch(std::string_view operation, const Dataset& data,
                  const std::function<void(const Tensor&)>& add);

}  // namespace lockstep::preprocessing_internal

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_NUMERIC_ADAPTATION_H_
