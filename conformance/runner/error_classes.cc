#include "conformance/runner/error_classes.h"

#include <algorithm>
#include <array>

#include "reference/base/error.h"

namespace lockstep {
namespace {

constexpr std::array kErrorClasses = {
    Code::kInvalidArgument,  Code::kOutOfRange,    Code::kFailedPrecondition,
    Code::kNotFound,         Code::kDataLoss,      Code::kUnavailable,
    Code::kDeadlineExceeded, Code::kUnimplemented, Code::kResourceExhausted,
    Code::kCancelled,        Code::kInternal};

}  // namespace

bool IsErrorClass(std::string_view name) {
  return std::ranges::find(kErrorClasses, name, CodeName) !=
         kErrorClasses.end();
}

}  // namespace lockstep
