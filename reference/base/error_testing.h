// For tests of what an action throws.
//
//   EXPECT_EQ(CodeOf([&] { tensor.Slice(3, 1); }), Code::kInvalidArgument);
//   ExpectError([&] { tensor.Slice(3, 1); }, Code::kInvalidArgument, "got 3");
#ifndef LOCKSTEP_REFERENCE_BASE_ERROR_TESTING_H_
#define LOCKSTEP_REFERENCE_BASE_ERROR_TESTING_H_

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "reference/base/error.h"

namespace lockstep {

// The code of the action's error. The test fails if nothing is thrown.
inline Code CodeOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return Code::kInternal;
}

// The test fails unless the action throws an error of this code with `words` in
// its message.
inline void ExpectError(const std::function<void()>& action, Code code,
                        const std::string& words) {
  try {
    action();
    ADD_FAILURE() << "nothing was thrown, wanted " << CodeName(code) << ": "
                  << words;
  } catch (const Error& error) {
    EXPECT_EQ(CodeName(error.code()), CodeName(code)) << error.what();
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos)
        << "wanted '" << words << "' in: " << error.what();
  }
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_ERROR_TESTING_H_
