#include "conformance/runner/commands/run_program.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "reference/base/check.h"
#include "reference/base/error.h"

namespace lockstep {

int RunProgram(const std::vector<std::string>& command) {
  LOCKSTEP_CHECK(!command.empty());
  std::vector<char*> argv;
  for (const std::string& word : command) {
    argv.push_back(const_cast<char*>(word.c_str()));  // posix_spawnp's type
  }
  argv.push_back(nullptr);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, argv[0], nullptr, nullptr, argv.data(), environ);
  if (error != 0) {
    throw NotFound("[RunProgram] cannot start {}: {}", command[0],
                   std::generic_category().message(error));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) LOCKSTEP_CHECK(errno == EINTR);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace lockstep
