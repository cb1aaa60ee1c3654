#include "conformance/runner/commands/frameworks_python.h"

#include <sys/wait.h>

#include <array>
#include <cstdio>

#include "reference/base/error.h"

namespace lockstep {
namespace {

constexpr std::string_view kPlaceholder = "{python}";

// What the command writes to stdout; its stderr goes to ours.
std::string OutputOf(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw Unavailable("[FrameworksPython] cannot start: {}", command);
  std::string output;
  std::array<char, 4096> buffer;
  while (const size_t size =
             std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.append(buffer.data(), size);
  }
  const int status = pclose(pipe);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw Unavailable("[FrameworksPython] failed, see above: {}", command);
  }
  return output;
}

}  // namespace

std::string FrameworksPython(const std::string& make_venv) {
  std::string python = OutputOf("python3 '" + make_venv + "'");
  while (python.ends_with('\n')) python.pop_back();
  if (python.empty() || python.find('\n') != std::string::npos) {
    throw Unavailable("[FrameworksPython] wanted one path from {}, got '{}'",
                      make_venv, python);
  }
  return python;
}

std::vector<std::string> ResolvePython(
    std::vector<std::string> command,
    const std::function<std::string()>& python) {
  std::string path;
  for (std::string& word : command) {
    const size_t at = word.find(kPlaceholder);
    if (at == std::string::npos) continue;
    if (path.empty()) path = python();
    word.replace(at, kPlaceholder.size(), path);
  }
  return command;
}

}  // namespace lockstep
