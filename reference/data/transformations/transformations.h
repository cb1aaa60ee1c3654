// The transformations of datasets, made by Dataset's functions of the same
// names.
#ifndef LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_TRANSFORMATIONS_H_
#define LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_TRANSFORMATIONS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reference/data/dataset_node.h"
#include "reference/data/dataset_options.h"
#include "reference/data/functions.h"
#include "reference/data/rebatch.h"

namespace lockstep::data_internal {

// Elements stacked by `size` along a new first axis.
// Errors: InvalidArgument for size < 1.
NodePtr MakeBatch(NodePtr input, int64_t size, bool drop_remainder);

// The rows of every element as elements.
NodePtr MakeUnbatch(NodePtr input);

// The parts of every element that `division` keeps (rebatch.h), which must have
// a batch axis. Errors: InvalidArgument, when read or asked for the spec, for
// scalars.
NodePtr MakeRebatch(NodePtr input, const Division& division);

// Elements of unequal shape, padded to the longest and stacked. With a `length`
// the unknown dimensions of the input's spec are padded to it.
// Errors: InvalidArgument for size < 1; when read, for a padding that a leaf's
// type cannot hold; DataLoss for an element longer than `length`.
NodePtr MakePaddedBatch(NodePtr input, int64_t size, double padding,
                        bool drop_remainder,
                        std::optional<int64_t> length = std::nullopt);

// Keeps the elements of the first complete pass for later passes.
NodePtr MakeCache(NodePtr input);

// Keeps the elements of the first complete pass in a file for later passes, of
// this program and of others.
//
// The file is a TensorBundle with TensorFlow's names for the contents of a
// cache, so each of the two reads what the other wrote.
//
// It is `prefix`.index and `prefix`.data-00000-of-00001.
NodePtr MakeFileCache(NodePtr input, std::string prefix);

// The same elements, asserting that there are `count`. Errors: InvalidArgument
// for a count below 0 other than kInfiniteCardinality; when read,
// FailedPrecondition for another number of elements.
NodePtr MakeAssertCardinality(NodePtr input, int64_t count);

// Applies a user's function to each element. Errors: InvalidArgument for an
// empty function and a negative number of calls; when read, for a result that
// does not have the spec given.
NodePtr MakeMap(NodePtr input, MapFunction function, const MapOptions& options);

// The elements for which a user's function returns true.
// Errors: InvalidArgument for an empty function.
NodePtr MakeFilter(NodePtr input, FilterFunction predicate);

// The elements before the first one for which it returns false.
// Errors: InvalidArgument for an empty function.
NodePtr MakeTakeWhile(NodePtr input, FilterFunction predicate);

// The outputs of a function of a state and an element. Errors: InvalidArgument
// for an empty function; when read, for a state of another form or type, and
// for an output that does not have the spec given.
NodePtr MakeScan(NodePtr input, const Structure& initial_state,
                 ScanFunction function,
                 std::optional<SpecStructure> output_spec);

// The first of all equal elements. Errors: InvalidArgument for types that it
// does not compare; when read, if the spec is not declared.
NodePtr MakeUnique(NodePtr input);

// Drops elements that throw an error. Errors: the input's after a million in a
// row.
NodePtr MakeIgnoreErrors(NodePtr input);

// A user's function that returns a dataset for an element.
using NodeFunction = std::function<NodePtr(const Structure&)>;

// The elements of the dataset of the first element, then of the second, ...
// Errors, here and below: InvalidArgument for an empty function; from
// element_spec(), which calls the function, for an input without elements.
NodePtr MakeFlatMap(NodePtr input, NodeFunction function);

// The elements of several of these datasets in turn. Errors: InvalidArgument
// for a number that is too small, and for more calls than cycle_length.
NodePtr MakeInterleave(NodePtr input, NodeFunction function,
                       const InterleaveOptions& options);

// Elements of several datasets side by side, in a tuple.
// Errors: InvalidArgument for no datasets.
NodePtr MakeZip(std::vector<NodePtr> inputs);

// Elements with their position.
NodePtr MakeEnumerate(NodePtr input, int64_t start);

// All of one dataset, then all of another.
// Errors: InvalidArgument, from element_spec(), unless both have the same kind
// of element.
NodePtr MakeConcatenate(NodePtr first, NodePtr second);

// `count` passes over the input. `count` < 0: forever, until a pass is empty.
NodePtr MakeRepeat(NodePtr input, int64_t count);

// The first `count` items.
// `count` < 0: all.
NodePtr MakeTake(NodePtr input, int64_t count);

// All but the first `count` items.
// `count` < 0: none are left.
NodePtr MakeSkip(NodePtr input, int64_t count);

// Every `num_shards`-th item, from item `index` on; with kShardHint all items.
// Errors: InvalidArgument unless 0 <= index < num_shards.
NodePtr MakeShard(NodePtr input, int64_t num_shards, int64_t index);

// Items in random order, drawn from a buffer that is kept full. With
// buffer_size 1 the order stays; from the number of items on every order is
// equally likely.
//
// With a seed the orders are those of tf.data.Dataset.shuffle with that seed
// (and no tf.random.set_seed), pass for pass. Without a seed one is chosen at
// random. Without `reshuffle_each_iteration` all passes have the same order.
// Errors: InvalidArgument for buffer_size < 1.
NodePtr MakeShuffle(NodePtr input, int64_t buffer_size,
                    std::optional<int64_t> seed, bool reshuffle_each_iteration);

// Elements made ahead of time on another thread.
// `buffer_size` < 0: two elements ahead; 0: none, on the caller's thread.
NodePtr MakePrefetch(NodePtr input, int64_t buffer_size);

// The input as it is, with options.
NodePtr MakeOptions(NodePtr input, const DatasetOptions& options);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_TRANSFORMATIONS_H_
