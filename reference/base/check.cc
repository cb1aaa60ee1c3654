#include "reference/base/check.h"

#include "reference/base/error.h"

namespace lockstep::base_internal {

void FailCheck(const char* file, int line, const char* condition) {
  throw Internal("[Check] {}:{}: broken invariant: {}", file, line, condition);
}

}  // namespace lockstep::base_internal
