// Items in random order, drawn from a buffer that is kept full:
// with buffer_size 1 the order stays, from the number of items on every order
// is equally likely.
#ifndef LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_SHUFFLE_H_
#define LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_SHUFFLE_H_

#include <cstdint>
#include <optional>

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

// Pass p draws from random stream p of the seed, or always from stream 0
// without `reshuffle_each_iteration`; without a seed one is chosen by chance.
// Errors: InvalidArgument for buffer_size < 1.
NodePtr MakeShuffle(NodePtr input, int64_t buffer_size,
                    std::optional<uint64_t> seed,
                    bool reshuffle_each_iteration);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_SHUFFLE_H_
