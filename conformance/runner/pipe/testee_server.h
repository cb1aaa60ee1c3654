// Serves a testee of this process by the pipe protocol: the other end of
// PipeTestee, for testees written in C++.
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

// Answers the commands that come from `in`, line by line, through `reply`
// (which gets lines without their ends). Returns the exit status: 0 after
// stop; 1, with a word on `complaints`, for what is no command and for an
// input that ends before.
int ServeTestee(Testee& testee, std::istream& in,
                const std::function<void(const std::string&)>& reply,
                std::ostream& complaints);

// On stdin and stdout. From then on, what the program prints to stdout goes to
// stderr, so that no library can spoil the replies.
int ServeTesteeOnStdio(Testee& testee);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_PIPE_TESTEE_SERVER_H_
