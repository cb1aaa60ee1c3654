// Reads the data from which a preprocessing layer computes its state.
//
//   ForEachBatch("Normalization.Adapt", dataset,
//                [&](const Tensor& x) { moments.Add(x.span<float>()); });
//
// In the scope of a strategy over several workers, the layer is adapted on all
// of them together. Each reads a part, and all merge what all have found:
//
//   for (const std::vector<Tensor>& found :
//        ReadParts({"Normalization.Adapt", name()}, dataset,
//                  [](const Dataset& part) {
//                    return ToTensors(MomentsOf(part));
//                  })) {
//     moments.Merge(ToMoments(found));
//   }
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_ADAPTATION_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_ADAPTATION_H_

#include <functional>
#include <string_view>
#include <vector>

#include "reference/data/dataset.h"
#include "reference/tensor/tensor.h"

namespace lockstep::preprocessing_internal {

// Errors: FailedPrecondition, led by `operation`, inside Strategy::Run, where
// each replica would see other data.
void CheckMayAdapt(std::string_view operation);

// Errors: InvalidArgument, led by `operation`, for an endless dataset.
void CheckEnds(std::string_view operation, const Dataset& data);

// Calls `add` with the first tensor of each element, as Keras does with (x, y).
// A vector, one row without a batch, becomes a batch of one row.
//
// Errors: as CheckMayAdapt and CheckEnds; InvalidArgument for elements that are
// dictionaries or hold strings.
void ForEachBatch(std::string_view operation, const Dataset& data,
                  const std::function<void(const Tensor&)>& add);

// Which layer is adapted: on all workers the same.
struct Adapting {
  std::string_view operation;  // leads messages
  std::string_view layer;      // its name
};

// What `read` finds in each worker's part of `data`, entry w from worker w: the
// same list on all workers. Together they read the data once: worker w of n the
// elements w, w + n, ..., or its files, as the AutoShardPolicy says
// (ShardElements); under kOff the whole dataset is its part. With one worker,
// and outside the scope, there is one part, which is all.
//
// Errors: as CheckMayAdapt; on all workers: the lowest one's if `read` throws
// on some; FailedPrecondition if they have different data, except under kOff,
// or do not adapt the same layer; those of ShardElements.
std::vector<std::vector<Tensor>> ReadParts(
    const Adapting& adapting, const Dataset& data,
    const std::function<std::vector<Tensor>(const Dataset& part)>& read);

// What `read` finds in data that each worker has whole, such as a tensor.
// Errors: as CheckMayAdapt; on all workers: the lowest one's if `read` throws on
// some, and FailedPrecondition if workers find different things.
std::vector<Tensor> ReadSame(const Adapting& adapting,
                             const std::function<std::vector<Tensor>()>& read);

}  // namespace lockstep::preprocessing_internal

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_ADAPTATION_H_
