#include "benchmarks/report_process.h"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <string_view>
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
  const std::string path =
      runfiles->Rlocation("lockstep/reports/performance/performance");
  if (!std::filesystem::exists(path)) {
    throw NotFound("[Report] no report program at '{}'", path);
  }
  return path;
}

// A file in memory that goes with its last user.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name)
      : descriptor_(memfd_create(name, MFD_CLOEXEC)) {
    if (descriptor_ < 0) Fail("make");
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int descriptor() const { return descriptor_; }

  // Whoever gets the descriptor reads from the beginning.
  void Fill(std::string_view bytes) {
    for (size_t done = 0; done < bytes.size();) {
      const ssize_t written =
          pwrite(descriptor_, bytes.data() + done, bytes.size() - done,
                 static_cast<off_t>(done));
      if (written < 0) Fail("write");
      done += static_cast<size_t>(written);
    }
  }

  std::string Content() const {
    std::string content;
    std::array<char, 1 << 16> piece;
    while (true) {
      const ssize_t got = pread(descriptor_, piece.data(), piece.size(),
                                static_cast<off_t>(content.size()));
      if (got < 0) Fail("read");
      if (got == 0) return content;
      content.append(piece.data(), static_cast<size_t>(got));
    }
  }

 private:
  [[noreturn]] static void Fail(std::string_view action) {
    throw SystemError(errno, "[Report] cannot {} a file in memory", action);
  }

  const int descriptor_;
};

// How a program is started: from one file to another, and in a process group of
// its own, so that a Ctrl-C that stopped the run leaves its page alone.
class SpawnSettings {
 public:
  SpawnSettings(const MemoryFile& in, const MemoryFile& out) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_adddup2(&files_, in.descriptor(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files_, out.descriptor(), STDOUT_FILENO);
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

// Runs a program and returns its exit status. Errors: Unavailable.
int RunProgram(const std::vector<std::string>& command,
               const SpawnSettings& settings) {
  std::vector<char*> arguments;
  for (const std::string& word : command) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawn(&child, command[0].c_str(), settings.files(),
                                settings.group(), arguments.data(), environ);
  if (error != 0) {
    throw SystemError(error, "[Report] cannot start {}", command[0]);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

std::string MakePerformanceReport(const std::string& program,
                                  const std::string& result,
                                  const std::string& name) {
  const std::string reporter = FindReporter(program);
  MemoryFile in("result"), out("page");
  in.Fill(result);
  const int status =
      RunProgram({reporter, "--result=-", "--html=-", "--name=" + name},
                 SpawnSettings(in, out));
  if (status != 0) {
    throw Unavailable("[Report] {} ended with status {}, wanted 0", reporter,
                      status);
  }
  return out.Content();
}

}  // namespace lockstep::benchmarks
