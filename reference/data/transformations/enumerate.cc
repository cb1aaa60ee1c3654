#include "reference/data/transformations/enumerate.h"

#include <cstdint>
#include <utility>

#include "reference/data/sources/range.h"
#include "reference/data/transformations/zip.h"

namespace lockstep::data_internal {

NodePtr MakeEnumerate(NodePtr input, int64_t start) {
  // A negative start would make the distance to the end more than int64 holds.
  const int64_t stop = start < 0 ? INT64_MAX + start : INT64_MAX;
  return MakeZip({MakeRange(start, stop, 1), std::move(input)});
}

}  // namespace lockstep::data_internal
