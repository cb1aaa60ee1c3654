// What the first complete pass yields, kept in a file for later passes, of
// this program and of others.
//
// The file is a TensorBundle with TensorFlow's names for what a cache holds:
// TensorFlow reads what is written here, and the other way round.
#ifndef LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_FILE_CACHE_H_
#define LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_FILE_CACHE_H_

#include <string>

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

// In `prefix`.index and `prefix`.data-00000-of-00001.
NodePtr MakeFileCache(NodePtr input, std::string prefix);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_FILE_CACHE_H_
