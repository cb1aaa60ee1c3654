// Elements of several datasets side by side, in a tuple.
#ifndef LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_ZIP_H_
#define LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_ZIP_H_

#include <vector>

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

// Errors: InvalidArgument for no datasets.
NodePtr MakeZip(std::vector<NodePtr> inputs);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_ZIP_H_
