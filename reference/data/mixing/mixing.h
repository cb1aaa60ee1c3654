// Transformations that take each element from one of several datasets, made by
// Dataset's functions of the same names.
#ifndef LOCKSTEP_REFERENCE_DATA_MIXING_MIXING_H_
#define LOCKSTEP_REFERENCE_DATA_MIXING_MIXING_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "reference/data/dataset_node.h"
#include "reference/data/mixing/sample_options.h"

namespace lockstep::data_internal {

// The next element of the dataset that each element of `choice` names, until
// `choice` ends. Where that dataset has ended: the end with stop_on_empty, else
// the next choice. Errors: InvalidArgument without datasets, for elements of
// different form, type or rank, and for a choice that is no int64 scalar; when
// read, for one that names no dataset.
NodePtr MakeChooseFrom(std::vector<NodePtr> inputs, NodePtr choice,
                       bool stop_on_empty);

// The same with choices at random. Errors: also InvalidArgument unless there is
// one weight for each dataset or none, and for a negative weight.
NodePtr MakeSampleFrom(std::vector<NodePtr> inputs,
                       const SampleOptions& options);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_MIXING_MIXING_H_
