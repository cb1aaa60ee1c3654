#include "conformance/runner/verdict.h"

#include "reference/base/check.h"

namespace lockstep {

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPassed:
      return "passed";
    case Verdict::kUnsupported:
      return "unsupported";
    case Verdict::kFailed:
      return "failed";
    case Verdict::kErrored:
      return "errored";
    case Verdict::kTimedOut:
      return "timed_out";
    case Verdict::kCrashed:
      return "crashed";
    case Verdict::kProtocolError:
      return "protocol_error";
  }
  LOCKSTEP_CHECK(false);
}

}  // namespace lockstep
