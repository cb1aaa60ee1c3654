#include "command_line/program.h"

#include <signal.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>

#include "reference/base/error.h"

namespace lockstep {

namespace fs = std::filesystem;

void EnterUsersFolder() {
  if (const char* folder = std::getenv("BUILD_WORKING_DIRECTORY")) {
    fs::current_path(folder);
  }
}

std::string ResultsFolder() {
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  return fs::path(workspace == nullptr ? "" : workspace) / "results";
}

namespace {

void DoNothing(int) {}

// Writes then fail with EPIPE or EFBIG. Child processes get the default
// handlers back, which they would not with SIG_IGN.
void SurviveFailingWrites() {
  for (const int signal : {SIGPIPE, SIGXFSZ}) {
    struct sigaction now;
    sigaction(signal, nullptr, &now);
    if (now.sa_handler == SIG_IGN) continue;
    struct sigaction survive = {};
    survive.sa_handler = DoNothing;
    survive.sa_flags = SA_RESTART;
    sigaction(signal, &survive, nullptr);
  }
}

// Errors: ResourceExhausted or Unavailable if some output was not written.
void CheckStdout() {
  errno = 0;
  std::cout.flush();
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && std::cout.good() && std::ferror(stdout) == 0) return;
  constexpr char kProblem[] = "[RunProgram] not all that was printed arrived";
  if (errno == 0) throw Unavailable("{}", kProblem);  // an earlier write failed
  throw SystemError(errno, "{}", kProblem);
}

}  // namespace

int RunProgram(const std::function<int()>& body, int failed) {
  SurviveFailingWrites();
  int status = failed;
  try {
    status = body();
    CheckStdout();
    return status;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return status == 0 ? failed : status;
  }
}

}  // namespace lockstep
