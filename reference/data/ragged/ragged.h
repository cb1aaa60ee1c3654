// A ragged batch: rows of different lengths, as tf.RaggedTensor.
//
// In elements it is a dictionary with exactly the keys "row_splits" and
// "values". Row i is values[row_splits[i]] to before values[row_splits[i + 1]]:
//
//   MakeRagged(values, row_splits)   // {row_splits: [0, 2, 2, 3],
//                                    //  values: [5, 6, 7]}
//   RaggedRow(ragged, 0)             // [5, 6]
//   RaggedToDense(ragged)            // [[5, 6], [0, 0], [7, 0]]
//
// Datasets treat it as any element. Unbatch takes its rows apart, and
// DistributeDataset divides it by rows.
#ifndef LOCKSTEP_REFERENCE_DATA_RAGGED_RAGGED_H_
#define LOCKSTEP_REFERENCE_DATA_RAGGED_RAGGED_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "reference/tensor/nest.h"

namespace lockstep {

// Errors: InvalidArgument unless row_splits are int64 numbers that begin with 0,
// do not decrease, and end with the number of values.
Structure MakeRagged(const Tensor& values, const Tensor& row_splits);

// Whether the nest has the form of a ragged batch, or of the spec of one.
bool IsRagged(const Structure& nest);
bool IsRagged(const SpecStructure& spec);

// Errors, here and below: InvalidArgument unless IsRagged(ragged).
int64_t RaggedRows(const Structure& ragged);
// The values of a row, sharing memory. Errors: also InvalidArgument for a row
// that does not exist.
Tensor RaggedRow(const Structure& ragged, int64_t row);
// Rows begin..end-1 as a ragged batch. Errors: also InvalidArgument for a range
// outside.
Structure RaggedSlice(const Structure& ragged, int64_t begin, int64_t end);
// A tensor of all rows, padded at the end to the longest: with `padding`, or
// for strings with "". Errors: also InvalidArgument for integers and a padding
// that is none.
Tensor RaggedToDense(const Structure& ragged, double padding = 0);

namespace data_internal {

// The number of rows of each component, a leaf or a ragged batch.
// REQUIRES: no scalars.
std::vector<int64_t> RowCounts(const Structure& batch);

// A nest with on_leaf(leaf) and on_ragged(ragged) in place of its components.
template <typename Leaf, typename OnLeaf, typename OnRagged>
Nest<Leaf> MapComponents(const Nest<Leaf>& nest, const OnLeaf& on_leaf,
                         const OnRagged& on_ragged) {
  if (nest.is_leaf()) return on_leaf(nest.leaf());
  if (IsRagged(nest)) return on_ragged(nest);
  std::vector<Nest<Leaf>> items;
  items.reserve(nest.size());
  for (const Nest<Leaf>& item : nest.items()) {
    items.push_back(MapComponents(item, on_leaf, on_ragged));
  }
  return Nest<Leaf>::WithForm(nest.kind(), nest.keys(), std::move(items));
}

}  // namespace data_internal
}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_RAGGED_RAGGED_H_
