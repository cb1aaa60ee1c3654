#include "conformance/runner/pipe/folder_removal.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>

#include "conformance/runner/pipe/open_descriptors.h"

namespace lockstep {
namespace {

constexpr int kCannotExecute = 127;
constexpr int kTimeoutMilliseconds = 5000;
constexpr unsigned kMaxSeconds = 600;

// The wait status of a program, -1 if there is none.
int StatusOf(const char* const* command) {
  const pid_t started = fork();
  if (started == 0) {
    execvp(command[0], const_cast<char* const*>(command));
    _exit(kCannotExecute);
  }
  int status = -1;
  while (waitpid(started, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// The path of an open folder; empty if it was removed.
void FindPath(int opened, char (&path)[PATH_MAX]) {
  char link[32] = "/proc/self/fd/";
  char digits[12];
  int count = 0;
  for (int rest = opened; rest > 0 || count == 0; rest /= 10) {
    digits[count++] = static_cast<char>('0' + rest % 10);
  }
  char* end = link + std::strlen(link);
  while (count > 0) *end++ = digits[--count];
  const ssize_t size = readlink(link, path, sizeof(path) - 1);
  path[size > 0 ? size : 0] = '\0';
  struct stat here, there;
  // The path of a removed folder ends with "(deleted)".
  if (fstat(opened, &here) != 0 || lstat(path, &there) != 0 ||
      here.st_dev != there.st_dev || here.st_ino != there.st_ino) {
    path[0] = '\0';
  }
}

// Kills this process and its children when the time is over.
void LimitTime() {
  setpgid(0, 0);
  struct sigaction end {};
  end.sa_handler = [](int) { kill(0, SIGKILL); };
  sigaction(SIGALRM, &end, nullptr);
  signal(SIGCHLD, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  alarm(kMaxSeconds);
}

[[noreturn]] void Remove(const char* folder, int opened) {
  LimitTime();
  const int nowhere = open("/dev/null", O_RDWR);
  for (int standard = 0; standard <= 2; ++standard) dup2(nowhere, standard);
  char path[PATH_MAX];
  FindPath(opened, path);
  CloseAllBut(std::array{0, 1, 2});
  const char* const second = path[0] != '\0' ? path : folder;
  const char* const remove[] = {
      "rm", "-rf", "--one-file-system", "--", folder, second, nullptr};
  const char* const allow[] = {"chmod", "-R",   "u+rwx", "--",
                               folder,  second, nullptr};
  if (StatusOf(remove) != 0) {
    StatusOf(allow);
    StatusOf(remove);
  }
  _exit(0);
}

}  // namespace

void RemoveFolder(const char* folder, int opened) {
  const pid_t remover = fork();
  if (remover == 0) Remove(folder, opened);
  for (int waited = 0; waited < kTimeoutMilliseconds; ++waited) {
    const pid_t ended = waitpid(remover, nullptr, WNOHANG);
    if (ended == remover || (ended < 0 && errno != EINTR)) return;
    poll(nullptr, 0, 1);
  }
}

}  // namespace lockstep
