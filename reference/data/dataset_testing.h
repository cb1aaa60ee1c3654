// Short forms of what a dataset yields, for tests.
#ifndef LOCKSTEP_REFERENCE_DATA_DATASET_TESTING_H_
#define LOCKSTEP_REFERENCE_DATA_DATASET_TESTING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/data/dataset.h"

namespace lockstep {

// 0, 1, ... below `stop`, made by a function. Unlike Range, its elements are
// not rows of a table.
Dataset Generated(int64_t stop);

// "(1, [2, 3])": leaves by ToString, tuples in (), dictionaries in {}.
std::string ToText(const Structure& element);

// One pass, each element by ToText: {"[0, 1]", "[2]"}.
std::vector<std::string> ReadAll(const Dataset& dataset);

// One pass over int64 elements, rows of batches one after another.
std::vector<int64_t> ReadNumbers(const Dataset& dataset);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DATA_DATASET_TESTING_H_
