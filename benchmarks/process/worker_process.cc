#include "benchmarks/process/worker_process.h"

#include <fmt/core.h>

#include <optional>
#include <utility>

#include "reference/base/error.h"

namespace lockstep::benchmarks {
namespace {

std::string LastLine(std::string text) {
  text.erase(text.find_last_not_of('\n') + 1);
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

// By the link, which a rebuild of the program meanwhile does not change.
WorkerProcess::WorkerProcess(int worker, std::vector<std::string> words)
    : worker_(worker),
      out_("out"),
      err_("err"),
      process_("/proc/self/exe", std::move(words),
               {.out = out_.descriptor(), .err = err_.descriptor()}) {}

void WorkerProcess::Join() {
  const ProcessEnd end = process_.Wait();
  if (!end.well()) throw Unavailable("[WorkerProcess] {}", ProblemOf(end));
}

std::string WorkerProcess::Problem(std::chrono::milliseconds patience) {
  const std::optional<ProcessEnd> end = process_.WaitFor(patience);
  return end && !end->well() ? ProblemOf(*end) : "";
}

std::string WorkerProcess::ProblemOf(const ProcessEnd& end) const {
  const std::string last = LastLine(err_.Content());
  return fmt::format("worker {} ended with {}{}{}", worker_, end.ToString(),
                     end.signal != 0 || last.empty() ? "" : ": ",
                     end.signal != 0 ? "" : last);
}

}  // namespace lockstep::benchmarks
