#include "benchmarks/process/child_process.h"

#include <fmt/core.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "reference/base/error.h"

extern char** environ;

namespace lockstep::benchmarks {
namespace {

// The settings of posix_spawn other than the program and its arguments.
class SpawnSettings {
 public:
  explicit SpawnSettings(const ChildStreams& streams) {
    posix_spawn_file_actions_init(&files_);
    for (const auto& [ours, theirs] : {std::pair(streams.in, STDIN_FILENO),
                                       std::pair(streams.out, STDOUT_FILENO),
                                       std::pair(streams.err, STDERR_FILENO)}) {
      if (ours >= 0) posix_spawn_file_actions_adddup2(&files_, ours, theirs);
    }
    posix_spawnattr_init(&group_);
    posix_spawnattr_setflags(&group_, POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&group_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  const posix_spawn_file_actions_t* files() const { return &files_; }
  const posix_spawnattr_t* group() const { return &group_; }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t group_;
};

}  // namespace

std::string ProcessEnd::ToString() const {
  return signal == 0 ? fmt::format("exit status {}", status)
                     : fmt::format("signal {} ({})", signal, strsignal(signal));
}

ChildProcess::ChildProcess(const std::string& program,
                           std::vector<std::string> words,
                           const ChildStreams& streams) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const SpawnSettings settings(streams);
  const int error = posix_spawn(&id_, program.c_str(), settings.files(),
                                settings.group(), arguments.data(), environ);
  if (error != 0) {
    throw SystemError(error, "[ChildProcess] cannot start {}", program);
  }
}

ChildProcess::~ChildProcess() {
  if (end_) return;
  kill(-id_, SIGKILL);
  Wait();
}

bool ChildProcess::TakeEnd(int options) {
  if (end_) return true;
  int status = 0;
  pid_t ended = 0;
  do {
    ended = waitpid(id_, &status, options);
  } while (ended < 0 && errno == EINTR);
  if (ended == 0) return false;
  if (ended < 0) {
    throw SystemError(errno, "[ChildProcess] cannot wait for process {}", id_);
  }
  end_ = WIFSIGNALED(status) ? ProcessEnd{.signal = WTERMSIG(status)}
                             : ProcessEnd{.status = WEXITSTATUS(status)};
  return true;
}

ProcessEnd ChildProcess::Wait() {
  TakeEnd(0);
  return *end_;
}

std::optional<ProcessEnd> ChildProcess::WaitFor(
    std::chrono::milliseconds patience) {
  constexpr auto kBetweenLooks = std::chrono::milliseconds(5);
  const auto limit = std::chrono::steady_clock::now() + patience;
  while (!TakeEnd(WNOHANG) && std::chrono::steady_clock::now() < limit) {
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return end_;
}

void EndWithStarter() { prctl(PR_SET_PDEATHSIG, SIGKILL); }

}  // namespace lockstep::benchmarks
