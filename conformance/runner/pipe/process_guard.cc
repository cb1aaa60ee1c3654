#include "conformance/runner/pipe/process_guard.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>

#include "conformance/runner/pipe/folder_removal.h"
#include "conformance/runner/pipe/open_descriptors.h"

namespace lockstep {
namespace {

constexpr int kCannotExecute = 127;
// A killed process that still exists after this long hangs in the kernel.
constexpr int kTimeoutMilliseconds = 5000;

void Report(int control, GuardReport::Kind kind, int value) {
  const GuardReport report{kind, value};
  send(control, &report, sizeof(report), MSG_NOSIGNAL);
}

// Never raises our own limit.
void LimitFiles(long long longest) {
  rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0) return;
  if (static_cast<rlim_t>(longest) >= limit.rlim_cur) return;
  limit.rlim_cur = longest;
  limit.rlim_max = longest;
  setrlimit(RLIMIT_FSIZE, &limit);
}

// In the program's process. Writes errno to `failure` when it cannot execute.
[[noreturn]] void Execute(const GuardedProgram& program, pid_t guard,
                          int failure) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != guard) _exit(kCannotExecute);  // died before prctl
  // The descriptors may themselves be 0, 1 or 2: move them first.
  const int in = fcntl(program.in, F_DUPFD, 3);
  const int out = fcntl(program.out, F_DUPFD, 3);
  const int err = fcntl(program.err, F_DUPFD, 3);
  const int kept = fcntl(failure, F_DUPFD_CLOEXEC, 3);
  if (dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(err, 2) >= 0 &&
      chdir(program.folder) == 0) {
    LimitFiles(program.longest_file);
    CloseAllBut(std::array{0, 1, 2, kept});
    signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execvpe(program.arguments[0], program.arguments, program.environment);
  }
  const int error_number = errno;
  (void)!write(kept, &error_number, sizeof(error_number));
  _exit(kCannotExecute);
}

// Returns the program's process, or exits after a report.
pid_t Start(const GuardedProgram& program) {
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0) {
    Report(program.control, GuardReport::kNotStarted, errno);
    _exit(1);
  }
  const pid_t guard = getpid();
  const pid_t started = fork();
  if (started == 0) Execute(program, guard, failure[1]);
  int error_number = started < 0 ? errno : 0;
  close(failure[1]);
  if (started > 0) {
    while (read(failure[0], &error_number, sizeof(error_number)) < 0 &&
           errno == EINTR) {
    }
  }
  if (error_number != 0) {
    Report(program.control, GuardReport::kNotStarted, error_number);
    _exit(1);
  }
  Report(program.control, GuardReport::kStarted, 0);
  return started;
}

// Reaps the program if it has ended. Kills its group first: after reaping, its
// number may belong to another process.
bool HasEnded(pid_t program, int control) {
  siginfo_t info{};
  if (waitid(P_PID, program, &info, WEXITED | WNOWAIT | WNOHANG) != 0 ||
      info.si_pid == 0) {
    return false;
  }
  kill(-program, SIGKILL);
  int status = 0;
  waitpid(program, &status, 0);
  Report(control, GuardReport::kEnded, status);
  return true;
}

// Reaps all children that ended; false if no child is left.
bool ReapOthers() {
  for (;;) {
    const pid_t reaped = waitpid(-1, nullptr, WNOHANG);
    if (reaped == 0) return true;
    if (reaped < 0 && errno != EINTR) return false;
  }
}

// Kills the processes that the kernel lists as our children.
void KillChildren() {
  const int list = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (list < 0) return;
  char text[4096];
  pid_t child = 0;
  for (ssize_t size; (size = read(list, text, sizeof(text))) > 0;) {
    for (const char c : std::string_view(text, size)) {
      if (c >= '0' && c <= '9') {
        child = child * 10 + (c - '0');
      } else if (child > 0) {
        kill(child, SIGKILL);
        child = 0;
      }
    }
  }
  close(list);
}

// Each round the children of the killed processes become ours.
void KillDescendants(int signals) {
  constexpr int kRoundMilliseconds = 10;
  for (int waited = 0; ReapOthers() && waited < kTimeoutMilliseconds;
       waited += kRoundMilliseconds) {
    KillChildren();
    pollfd ended{.fd = signals, .events = POLLIN, .revents = 0};
    poll(&ended, 1, kRoundMilliseconds);
    signalfd_siginfo taken;
    (void)!read(signals, &taken, sizeof(taken));
  }
}

// Blocks all signals, so that the program cannot end its guard by one.
int WatchChildren() {
  signal(SIGCHLD, SIG_DFL);
  sigset_t all, child_ends;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  sigemptyset(&child_ends);
  sigaddset(&child_ends, SIGCHLD);
  return signalfd(-1, &child_ends, SFD_CLOEXEC | SFD_NONBLOCK);
}

}  // namespace

void RunGuard(const GuardedProgram& program) {
  setpgid(0, 0);  // out of reach of the terminal's Ctrl-C
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_NAME, "lockstep-guard");
  const int signals = WatchChildren();
  const pid_t started = Start(program);
  CloseAllBut(std::array{signals, program.control, program.opened_folder});
  bool ended = false;
  for (;;) {
    pollfd watched[] = {
        {.fd = signals, .events = POLLIN, .revents = 0},
        {.fd = program.control, .events = POLLIN, .revents = 0}};
    poll(watched, 2, -1);
    signalfd_siginfo taken;
    (void)!read(signals, &taken, sizeof(taken));
    if (!ended) ended = HasEnded(started, program.control);
    if (ended) ReapOthers();
    if (watched[1].revents != 0) break;
  }
  if (!ended) kill(-started, SIGKILL);
  KillDescendants(signals);
  RemoveFolder(program.folder, program.opened_folder);
  _exit(0);
}

}  // namespace lockstep
