#include "conformance/runner/ask_testee.h"

#include <exception>

namespace lockstep {

Answer AskTestee(Testee& testee, const Request& request) {
  try {
    return testee.Run(request);
  } catch (const std::exception& e) {
    return Failure{
        .error_class = "Internal", .message = e.what(), .at_step = "testee"};
  }
}

}  // namespace lockstep
