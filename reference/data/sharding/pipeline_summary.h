// What pipelines have in common that give the same elements, so far as it can be
// told without reading them.
//
//   Summarize(*Dataset::Range(8).Batch(4).node());     // "Batch[2](Range[8])"
//   Summarize(*Dataset::FromTextLines({"x", "y"}).node());
//                                   // "TextLines[2 files, names 5a9c01d2]"
#ifndef LOCKSTEP_REFERENCE_DATA_SHARDING_PIPELINE_SUMMARY_H_
#define LOCKSTEP_REFERENCE_DATA_SHARDING_PIPELINE_SUMMARY_H_

#include <string>

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

// Kinds, known numbers of elements, and files by their names without folders:
// machines may keep copies at different places. Calls no function of the program.
std::string Summarize(const DatasetNode& node);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_SHARDING_PIPELINE_SUMMARY_H_
