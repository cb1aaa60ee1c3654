#include "conformance/runner/pipe/child_process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "conformance/runner/pipe/folder_removal.h"
#include "conformance/runner/pipe/process_guard.h"
#include "reference/base/check.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

struct Pipe {
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
      throw SystemError(errno, "[ChildProcess] cannot make a pipe");
    }
    reader = FileDescriptor(ends[0]);
    writer = FileDescriptor(ends[1]);
  }
  FileDescriptor reader, writer;
};

void SetNonBlocking(const FileDescriptor& descriptor) {
  const int flags = fcntl(descriptor.number(), F_GETFL);
  fcntl(descriptor.number(), F_SETFL, flags | O_NONBLOCK);
}

// The words as exec takes them.
std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) {
    pointers.push_back(const_cast<char*>(word.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

std::string WithFullPath(const std::string& word, const std::string& files) {
  namespace fs = std::filesystem;
  std::error_code none;
  if (word.find_first_of("./") == word.npos) return word;
  const fs::path path = fs::path(files) / word;
  return fs::exists(path, none) ? fs::absolute(path).string() : word;
}

std::vector<std::string> WithFullPaths(std::vector<std::string> command,
                                       const std::string& files) {
  for (std::string& word : command) word = WithFullPath(word, files);
  return command;
}

// PYTHONPATH, followed by the folder `files`.
std::string PythonPath(const std::string& files) {
  const char* before = std::getenv("PYTHONPATH");
  const std::string folder = std::filesystem::absolute(files).string();
  return before && *before ? fmt::format("{}:{}", before, folder) : folder;
}

// Our environment, with another TMPDIR and PYTHONPATH.
std::vector<std::string> EnvironmentWith(const std::string& folder,
                                         const std::string& files) {
  std::vector<std::string> environment = {"TMPDIR=" + folder,
                                          "PYTHONPATH=" + PythonPath(files)};
  for (char** variable = environ; *variable; ++variable) {
    const std::string_view text(*variable);
    if (!text.starts_with("TMPDIR=") && !text.starts_with("PYTHONPATH=")) {
      environment.emplace_back(text);
    }
  }
  return environment;
}

ProcessEnd EndOf(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    return {.by_signal = true, .value = WTERMSIG(wait_status)};
  }
  return {.by_signal = false, .value = WEXITSTATUS(wait_status)};
}

// 1234 of /proc/1234; 0 for any other entry.
pid_t ProcessOf(const std::filesystem::path& entry) {
  const std::string name = entry.filename();
  pid_t process = 0;
  const auto read =
      std::from_chars(name.data(), name.data() + name.size(), process);
  return read.ptr == name.data() + name.size() ? process : 0;
}

// `environment`: variables, each after a zero byte.
bool HasTmpdirIn(std::string_view environment, const std::string& folder) {
  const std::string variable = std::string(1, '\0') + "TMPDIR=" + folder;
  const size_t found = environment.find(variable);
  if (found == environment.npos) return false;
  const std::string_view rest = environment.substr(found + variable.size());
  return rest.empty() || rest[0] == '\0' || rest[0] == '/';
}

std::vector<pid_t> ProcessesOf(const std::string& folder) {
  std::vector<pid_t> found;
  std::error_code gone;
  std::filesystem::directory_iterator entry("/proc", gone);
  for (; !gone && entry != std::filesystem::directory_iterator();
       entry.increment(gone)) {
    const pid_t process = ProcessOf(entry->path());
    if (process <= 0) continue;
    std::ostringstream environment;
    environment << '\0' << std::ifstream(entry->path() / "environ").rdbuf();
    if (HasTmpdirIn(environment.view(), folder)) found.push_back(process);
  }
  return found;
}

// Kills every process that was started with `folder`, or a folder in it, as its
// TMPDIR, until there is none. Without the guard they are not our descendants,
// so the TMPDIR identifies them; processes with another TMPDIR or of another
// user are not found. Returns false if some remain after `timeout`.
bool KillProcessesOf(const std::string& folder,
                     std::chrono::milliseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    const std::vector<pid_t> found = ProcessesOf(folder);
    if (found.empty()) return true;
    if (std::chrono::steady_clock::now() > end) return false;
    for (const pid_t process : found) kill(process, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
}

}  // namespace

std::string ProcessEnd::Describe() const {
  if (!by_signal) return fmt::format("exit status {}", value);
  const char* name = sigabbrev_np(value);
  return name ? fmt::format("SIG{}", name) : fmt::format("signal {}", value);
}

ChildProcess::ChildProcess(const std::vector<std::string>& command,
                           const ChildProcessOptions& options) {
  LOCKSTEP_CHECK(!command.empty());
  Pipe in, out, err;
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
    throw SystemError(errno, "[ChildProcess] cannot make a socket");
  }
  control_ = FileDescriptor(sockets[0]);
  FileDescriptor guard_control(sockets[1]);
  const std::vector<std::string> words = WithFullPaths(command, options.files);
  const std::vector<char*> arguments = Pointers(words);
  MakeFolder();
  const std::vector<std::string> variables =
      EnvironmentWith(folder_, options.files);
  const std::vector<char*> environment = Pointers(variables);
  guard_ = fork();
  if (guard_ < 0) {
    const int error_number = errno;
    rmdir(folder_.c_str());
    throw SystemError(error_number, "[ChildProcess] cannot fork for {}",
                      command[0]);
  }
  if (guard_ == 0) {
    RunGuard({.arguments = arguments.data(),
              .environment = environment.data(),
              .folder = folder_.c_str(),
              .opened_folder = opened_folder_.number(),
              .longest_file = options.longest_file,
              .in = in.reader.number(),
              .out = out.writer.number(),
              .err = err.writer.number(),
              .control = guard_control.number()});
  }
  in_ = std::move(in.writer);
  out_ = std::move(out.reader);
  err_ = std::move(err.reader);
  guard_control.Close();  // so that we notice if the guard dies
  for (const FileDescriptor* end : {&in_, &out_, &err_}) SetNonBlocking(*end);
  ReadStartReport(command[0]);
}

// Makes an empty folder, which the guard removes.
void ChildProcess::MakeFolder() {
  const char* place = std::getenv("TMPDIR");
  folder_ = std::string(place && *place ? place : "/tmp") + "/lockstep-XXXXXX";
  if (!mkdtemp(folder_.data())) {
    throw SystemError(errno, "[ChildProcess] cannot make a folder {}", folder_);
  }
  opened_folder_ =
      FileDescriptor(open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened_folder_.number() < 0) {
    const int error_number = errno;
    rmdir(folder_.c_str());
    throw SystemError(error_number, "[ChildProcess] cannot open the folder {}",
                      folder_);
  }
  size_ = FolderSize(opened_folder_.number());
}

void ChildProcess::ReadStartReport(const std::string& program) {
  GuardReport report{GuardReport::kNotStarted, ECHILD};
  while (read(control_.number(), &report, sizeof(report)) < 0 &&
         errno == EINTR) {
  }
  if (report.kind == GuardReport::kStarted) return;
  Kill();
  rmdir(folder_.c_str());  // still unused
  throw SystemError(report.value, "[ChildProcess] cannot start {}", program);
}

std::optional<ProcessEnd> ChildProcess::Wait(
    std::chrono::milliseconds timeout) {
  if (end_ || control_.number() < 0) return end_;
  pollfd readable{.fd = control_.number(), .events = POLLIN, .revents = 0};
  while (poll(&readable, 1, static_cast<int>(timeout.count())) < 0 &&
         errno == EINTR) {
  }
  if (readable.revents == 0) return std::nullopt;
  // A guard without a report was killed, and the program with it.
  GuardReport report{GuardReport::kEnded, SIGKILL};
  (void)!read(control_.number(), &report, sizeof(report));
  end_ = EndOf(report.value);
  return end_;
}

bool ChildProcess::EndGuard() {
  using std::chrono::steady_clock;
  constexpr auto kTimeout = std::chrono::seconds{20};  // the guard needs ten
  constexpr int kRoundMilliseconds = 100;
  const auto end = steady_clock::now() + kTimeout;
  shutdown(control_.number(), SHUT_WR);
  pollfd gone{.fd = control_.number(), .events = 0, .revents = 0};
  while ((gone.revents & POLLHUP) == 0) {
    kill(guard_, steady_clock::now() < end ? SIGCONT : SIGKILL);
    poll(&gone, 1, kRoundMilliseconds);
  }
  control_.Close();
  int status = 0;
  while (waitpid(guard_, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status);
}

void ChildProcess::Kill() {
  constexpr auto kTimeout = std::chrono::seconds{5};
  if (guard_ < 0) return;
  if (!EndGuard()) {
    KillProcessesOf(folder_, kTimeout);
    RemoveFolder(folder_.c_str(), opened_folder_.number());
  }
  guard_ = -1;
}

}  // namespace lockstep
