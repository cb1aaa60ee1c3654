// How many elements a dataset has, where that is known without reading it.
#ifndef LOCKSTEP_REFERENCE_DATA_CARDINALITY_H_
#define LOCKSTEP_REFERENCE_DATA_CARDINALITY_H_

#include <cstdint>

namespace lockstep {

// The documented values of tf.data.INFINITE_CARDINALITY and
// UNKNOWN_CARDINALITY.
inline constexpr int64_t kInfiniteCardinality = -1;
inline constexpr int64_t kUnknownCardinality = -2;

namespace data_internal {

// Elements of `size` items each, the last one possibly short.
inline int64_t BatchedCardinality(int64_t items, int64_t size,
                                  bool drop_remainder) {
  if (items < 0) return items;
  return items / size + (!drop_remainder && items % size != 0 ? 1 : 0);
}

}  // namespace data_internal
}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_CARDINALITY_H_
