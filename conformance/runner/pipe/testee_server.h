// Serves a testee of this process over the pipe protocol: the other end of
// PipeTestee, for testees in C++.
//
//   int main() {
//     MyTestee testee;
//     return lockstep::ServeTesteeOnStdio(testee);
//   }
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_PIPE_TESTEE_SERVER_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_PIPE_TESTEE_SERVER_H_

#include <functional>
#include <istream>
#include <ostream>
#include <string>

#include "conformance/runner/testee.h"

namespace lockstep {

// Answers the commands from `in`, line by line, through `reply` (which receives
// lines without their ends). Returns the exit status: 0 after stop; 1, with a
// message on `errors`, for a malformed command and for an input that ends
// early.
int ServeTestee(Testee& testee, std::istream& in,
                const std::function<void(const std::string&)>& reply,
                std::ostream& errors);

// The same on stdin and stdout. Redirects stdout to stderr, so that output of
// libraries does not mix with the replies.
int ServeTesteeOnStdio(Testee& testee);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PIPE_TESTEE_SERVER_H_
