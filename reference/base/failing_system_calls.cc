#include "reference/base/failing_system_calls.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdarg>

namespace lockstep {
namespace {

int calls_left = 0;  // 0: nothing fails
int planned_error = 0;

bool IsTheOne() {
  if (calls_left == 0 || --calls_left > 0) return false;
  if (planned_error == kKillProcess) kill(getpid(), SIGKILL);
  errno = planned_error;
  return true;
}

}  // namespace

FailingSystemCalls::FailingSystemCalls(int which, int error_number) {
  calls_left = which;
  planned_error = error_number;
}

FailingSystemCalls::~FailingSystemCalls() { calls_left = 0; }

bool FailingSystemCalls::happened() const { return calls_left == 0; }

}  // namespace lockstep

// The linker finds these before the C library's.
extern "C" {

int open(const char* path, int flags, ...) {
  using lockstep::IsTheOne;
  int mode = 0;
  if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, int);
    va_end(arguments);
    if (IsTheOne()) return -1;
  }
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

ssize_t write(int descriptor, const void* bytes, size_t size) {
  if (lockstep::IsTheOne()) return -1;
  return syscall(SYS_write, descriptor, bytes, size);
}

int fsync(int descriptor) {
  if (lockstep::IsTheOne()) return -1;
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}

int linkat(int from_folder, const char* from, int to_folder, const char* to,
           int flags) noexcept {
  if (lockstep::IsTheOne()) return -1;
  return static_cast<int>(
      syscall(SYS_linkat, from_folder, from, to_folder, to, flags));
}

int rename(const char* from, const char* to) noexcept {
  if (lockstep::IsTheOne()) return -1;
  return static_cast<int>(
      syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

}  // extern "C"
