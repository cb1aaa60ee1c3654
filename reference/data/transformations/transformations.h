// The transformations of datasets: what Dataset's functions of the same names
// add to a pipeline.
#ifndef LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_TRANSFORMATIONS_H_
#define LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_TRANSFORMATIONS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reference/data/dataset_node.h"
#include "reference/data/dataset_options.h"
#include "reference/data/rebatch.h"

namespace lockstep::data_internal {

// Elements stacked by `size` along a new first axis.
// Errors: InvalidArgument for size < 1.
NodePtr MakeBatch(NodePtr input, int64_t size, bool drop_remainder);

// Rows of every element as elements of their own.
NodePtr MakeUnbatch(NodePtr input);

// The parts of every element that `division` keeps (rebatch.h), which must have
// a batch axis. Errors: InvalidArgument, when read or asked for the spec, for
// scalars.
NodePtr MakeRebatch(NodePtr input, const Division& division);

// Elements of unequal shape, padded to the longest and stacked.
// Errors: InvalidArgument for size < 1; when read, for a padding that a leaf's
// type cannot hold.
NodePtr MakePaddedBatch(NodePtr input, int64_t size, double padding,
                        bool drop_remainder);

// What the first complete pass yields, kept for later passes.
NodePtr MakeCache(NodePtr input);

// What the first complete pass yields, kept in a file for later passes, of
// this program and of others.
//
// The file is a TensorBundle with TensorFlow's names for what a cache holds:
// TensorFlow reads what is written here, and the other way round.
//
// In `prefix`.index and `prefix`.data-00000-of-00001.
NodePtr MakeFileCache(NodePtr input, std::string prefix);

// The same elements, which must be `count`. Errors: InvalidArgument for a count
// below 0 but kInfiniteCardinality; when read, FailedPrecondition for another
// number of elements.
NodePtr MakeAssertCardinality(NodePtr input, int64_t count);

// A function of the user's, element by element.
// Errors: InvalidArgument for an empty function, and for a result that has not
// the spec given.
NodePtr MakeMap(NodePtr input,
                std::function<Structure(const Structure&)> function,
                std::optional<SpecStructure> output_spec);

// The elements for which a function of the user's holds.
// Errors: InvalidArgument for an empty function.
NodePtr MakeFilter(NodePtr input,
                   std::function<bool(const Structure&)> predicate);

// A function of the user's that gives a dataset for an element.
using NodeFunction = std::function<NodePtr(const Structure&)>;

// The elements of the dataset of the first element, then of the second, ...
// Errors, here and below: InvalidArgument for an empty function; from
// element_spec(), which asks the function, for an input without elements.
NodePtr MakeFlatMap(NodePtr input, NodeFunction function);

// Those of several of these datasets in turn.
// Errors: InvalidArgument for a number that is too small.
NodePtr MakeInterleave(NodePtr input, NodeFunction function,
                       const InterleaveOptions& options);

// Elements of several datasets side by side, in a tuple.
// Errors: InvalidArgument for no datasets.
NodePtr MakeZip(std::vector<NodePtr> inputs);

// Elements with their position.
NodePtr MakeEnumerate(NodePtr input, int64_t start);

// All of one dataset, then all of another.
// Errors: InvalidArgument, when the spec is asked for,
// unless both have the same kind of element.
NodePtr MakeConcatenate(NodePtr first, NodePtr second);

// Pass after pass over the input: `count` of them, or for ever.
// `count` < 0: for ever, unless a pass is empty.
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

// Items in random order, drawn from a buffer that is kept full:
// with buffer_size 1 the order stays, from the number of items on every order
// is equally likely.
//
// Pass p draws from random stream p of the seed, and from others where it opens
// the shuffle again; without `reshuffle_each_iteration` always from stream 0.
// Without a seed one is chosen by chance.
// Errors: InvalidArgument for buffer_size < 1.
NodePtr MakeShuffle(NodePtr input, int64_t buffer_size,
                    std::optional<uint64_t> seed,
                    bool reshuffle_each_iteration);

// Elements made ahead of time on another thread.
// `buffer_size` < 0: two elements ahead; 0: none, on the caller's thread.
NodePtr MakePrefetch(NodePtr input, int64_t buffer_size);

// The input as it is, with options.
NodePtr MakeOptions(NodePtr input, const DatasetOptions& options);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_TRANSFORMATIONS_H_
