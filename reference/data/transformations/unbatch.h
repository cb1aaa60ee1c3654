// Rows of every element as elements of their own.
#ifndef LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_UNBATCH_H_
#define LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_UNBATCH_H_

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

NodePtr MakeUnbatch(NodePtr input);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_UNBATCH_H_
