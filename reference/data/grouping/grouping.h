// Transformations that give groups of elements, as datasets, to a function of
// the program, made by Dataset's functions of the same names.
#ifndef LOCKSTEP_REFERENCE_DATA_GROUPING_GROUPING_H_
#define LOCKSTEP_REFERENCE_DATA_GROUPING_GROUPING_H_

#include <cstdint>
#include <functional>

#include "reference/data/dataset_node.h"
#include "reference/data/grouping/group_options.h"

namespace lockstep::data_internal {

// The elements of function(first window), then of function(second), ...
// Errors: InvalidArgument for sizes below 1 and an empty function.
using WindowNodeFunction = std::function<NodePtr(const NodePtr& window)>;
NodePtr MakeWindow(NodePtr input, const WindowOptions& options,
                   WindowNodeFunction function);

// The elements of reduce(key, window) for each full window of elements with the
// same key, then for the others, smallest key first. Errors: InvalidArgument
// for an empty function; when read, for a window size below 1.
struct GroupFunctions {
  KeyFunction key;
  std::function<NodePtr(int64_t key, const NodePtr& window)> reduce;
  std::function<int64_t(int64_t key)> window_size;
};
NodePtr MakeGroupByWindow(NodePtr input, GroupFunctions functions);

// Padded batches of elements of similar length. Errors: InvalidArgument for
// boundaries that do not increase, another number of batch sizes, and batch
// sizes below 1.
NodePtr MakeBucketBySequenceLength(NodePtr input, KeyFunction length,
                                   const BucketOptions& options);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_GROUPING_GROUPING_H_
