// The first of two phases, as in TensorFlow Transform: one pass over all data
// finds what the second one, Transform (transform/transform.h), needs.
//
//   Analyze(rows, {ZScore("age"), WordIds("color")}, "prepared");
//
// In the scope of a strategy over several workers all of them call it. Each
// reads its part of the data, as in adapting layers together
// (preprocessing/adaptation.h), so that the data may exceed one machine; what
// they found is merged on all, and worker 0 writes the folder.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_TRANSFORM_ANALYZE_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_TRANSFORM_ANALYZE_H_

#include <string>

#include "reference/data/dataset.h"
#include "reference/preprocessing/transform/recipe.h"

namespace lockstep {

// Elements of `data` are batches or single examples. Words are counted as they
// are; those that a line of a file cannot hold, the empty one and those with
// line breaks, are left out, as TensorFlow Transform does, and "[UNK]".
//
// When it returns, on any worker, the folder is complete; a process that ends
// before leaves the folder as it was. Errors, on all workers: those of
// CheckRecipe and of writing files; FailedPrecondition inside Run, and if
// workers have different data or recipes; InvalidArgument for an endless
// dataset, elements without the inputs, inputs of other types, columns of
// different sizes, a column without data, words that are not UTF-8, and numbers
// whose moments or boundaries are not finite.
void Analyze(const Dataset& data, const Recipe& recipe,
             const std::string& folder);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_TRANSFORM_ANALYZE_H_
