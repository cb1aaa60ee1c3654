// A worker's share of the files that a pipeline reads: file i of each source is
// worker i modulo workers'.
//
//   Dataset::FromTFRecords({"a", "b", "c"})      // worker 1 of 2: b
//   Dataset::ListFiles({"train-*"}, /*shuffle=*/true)
//       .Interleave(read_one_file, ...)          // every second name
//
// Names are numbered at their source, before any shuffle, so workers that
// shuffle them differently still read different files.
#ifndef LOCKSTEP_REFERENCE_DATA_SHARDING_FILE_SHARD_H_
#define LOCKSTEP_REFERENCE_DATA_SHARDING_FILE_SHARD_H_

#include <cstdint>

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

// A source of the pipeline that reads no files; nullptr where all do. A function
// of FlatMap or Interleave is called with the first element of its input.
// Errors: of these functions and inputs.
const DatasetNode* FindOtherSource(const DatasetNode& node);

// A transformation that needs the elements of all files (kWholeInput), outside
// the functions that read single files; nullptr if there is none. Errors: as
// above.
const DatasetNode* FindWholeInput(const DatasetNode& node);

// Errors: InvalidArgument, on every worker, if a source has fewer files than
// there are workers. REQUIRES: !FindOtherSource(node), !FindWholeInput(node),
// 0 <= worker < workers.
NodePtr ShardFiles(const NodePtr& node, int64_t workers, int64_t worker);

// `after` is the form of `before` that reads a worker's part. Returns it, or
// for an AssertCardinality its input, with a warning: the asserted number is
// that of all parts together.
NodePtr DropAssertion(const DatasetNode& before, NodePtr after);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_SHARDING_FILE_SHARD_H_
