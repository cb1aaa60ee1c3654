#include "conformance/runner/pipe/orphans.h"

#include <sys/types.h>

#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <thread>
#include <vector>

namespace lockstep {
namespace {

namespace fs = std::filesystem;

// Of /proc/1234, the 1234; 0 for what is no process.
pid_t ProcessOf(const fs::path& entry) {
  const std::string name = entry.filename();
  pid_t process = 0;
  const auto read =
      std::from_chars(name.data(), name.data() + name.size(), process);
  return read.ptr == name.data() + name.size() ? process : 0;
}

// `environment`: variables, each after a zero byte.
bool HasTmpdirIn(std::string_view environment, const std::string& folder) {
  const std::string wanted = std::string(1, '\0') + "TMPDIR=" + folder;
  const size_t found = environment.find(wanted);
  if (found == environment.npos) return false;
  const std::string_view rest = environment.substr(found + wanted.size());
  return rest.empty() || rest[0] == '\0' || rest[0] == '/';
}

std::vector<pid_t> ProcessesOf(const std::string& folder) {
  std::vector<pid_t> found;
  std::error_code gone;
  fs::directory_iterator entry("/proc", gone);
  for (; !gone && entry != fs::directory_iterator(); entry.increment(gone)) {
    const pid_t process = ProcessOf(entry->path());
    if (process <= 0) continue;
    std::ostringstream environment;
    environment << '\0' << std::ifstream(entry->path() / "environ").rdbuf();
    if (HasTmpdirIn(environment.view(), folder)) found.push_back(process);
  }
  return found;
}

}  // namespace

bool KillProcessesOf(const std::string& folder,
                     std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const std::vector<pid_t> found = ProcessesOf(folder);
    if (found.empty()) return true;
    if (std::chrono::steady_clock::now() > end) return false;
    for (const pid_t process : found) kill(process, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
}

}  // namespace lockstep
