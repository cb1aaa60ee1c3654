#include "conformance/runner/commands/program_output.h"

#include <sys/wait.h>

#include <array>
#include <cstdio>

#include "reference/base/error.h"

namespace lockstep {

std::string OutputOf(const std::string& command, const char* operation) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw Unavailable("[{}] cannot start: {}", operation, command);
  std::string output;
  std::array<char, 4096> buffer;
  while (const size_t size =
             std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.append(buffer.data(), size);
  }
  const int status = pclose(pipe);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw Unavailable("[{}] failed, see above: {}", operation, command);
  }
  return output;
}

}  // namespace lockstep
