// The words that several workers count in their parts of the data.
//
//   const WordCounts all = CountParts(
//       "string_lookup", dataset,
//       [&](const Dataset& part) { return layer.Count(part); });
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_COUNTED_PARTS_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_COUNTED_PARTS_H_

#include <functional>
#include <string>
#include <vector>

#include "reference/data/dataset.h"
#include "reference/preprocessing/words/vocabulary/word_counts.h"
#include "reference/tensor/tensor.h"

namespace lockstep::words_internal {

// For other workers.
std::vector<Tensor> ToTensors(const WordCounts& counts);
// The counts of all parts, merged in order. REQUIRES: made by ToTensors.
WordCounts MergeCounts(const std::vector<std::vector<Tensor>>& parts);

// The counts of all parts (preprocessing/adaptation.h: ReadParts), the same on
// all workers.
WordCounts CountParts(
    const std::string& layer, const Dataset& data,
    const std::function<WordCounts(const Dataset& part)>& count);

// The counts that each worker finds in the same tensor (ReadSame).
WordCounts CountSame(const std::string& layer,
                     const std::function<WordCounts()>& count);

}  // namespace lockstep::words_internal

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_COUNTED_PARTS_H_
