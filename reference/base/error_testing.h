// What an action throws, for tests.
//
//   EXPECT_EQ(CodeOf([&] { tensor.Slice(3, 1); }), Code::kInvalidArgument);
#ifndef LOCKSTEP_REFERENCE_BASE_ERROR_TESTING_H_
#define LOCKSTEP_REFERENCE_BASE_ERROR_TESTING_H_

#include <gtest/gtest.h>

#include <functional>

#include "reference/base/error.h"

namespace lockstep {

// The code of the action's error. A test fails when nothing is thrown.
inline Code CodeOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return Code::kInternal;
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_ERROR_TESTING_H_
