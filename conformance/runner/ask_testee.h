// Puts a request to a testee that may throw.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_ASK_TESTEE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_ASK_TESTEE_H_

#include "conformance/runner/testee.h"

namespace lockstep {

// An exception that escapes the testee is a Failure "Internal" at step
// "testee"; Interrupted, which is none, goes through.
Answer AskTestee(Testee& testee, const Request& request);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_ASK_TESTEE_H_
