#include "benchmarks/report_process.h"

#include <spawn.h>
#include <sys/wait.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "reference/base/error.h"
#include "tools/cpp/runfiles/runfiles.h"

extern char** environ;

namespace lockstep::benchmarks {
namespace {

// Where the report program lies. Errors: NotFound.
std::string FindReporter(const std::string& program) {
  using bazel::tools::cpp::runfiles::Runfiles;
  std::string problem;
  const std::unique_ptr<Runfiles> runfiles(Runfiles::Create(program, &problem));
  if (!runfiles) throw NotFound("[Report] no runfiles: {}", problem);
  const std::string path = runfiles->Rlocation("lockstep/reports/performance");
  if (!std::filesystem::exists(path)) {
    throw NotFound("[Report] no report program at '{}'", path);
  }
  return path;
}

// Runs a program and returns its exit status. Errors: Unavailable.
int RunProgram(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawn(&child, command[0].c_str(), nullptr, nullptr,
                                arguments.data(), environ);
  if (error != 0) {
    throw Unavailable("[Report] cannot start {}: {}", command[0],
                      std::strerror(error));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

void MakePerformanceReport(const std::string& program,
                           const std::string& result, const std::string& html) {
  const std::string reporter = FindReporter(program);
  // Absolute: under `bazel run` the report program looks elsewhere otherwise.
  const auto absolute = [](const std::string& path) {
    return std::filesystem::absolute(path).string();
  };
  const int status = RunProgram(
      {reporter, "--result=" + absolute(result), "--html=" + absolute(html)});
  if (status != 0) {
    throw Unavailable("[Report] {} ended with status {}, wanted 0", reporter,
                      status);
  }
}

}  // namespace lockstep::benchmarks
