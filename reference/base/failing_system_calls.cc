#include "reference/base/failing_system_calls.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <optional>

#include "reference/base/check.h"

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

bool KilledAt(int which, const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    const FailingSystemCalls faults(which, kKillProcess);
    try {
      work();
    } catch (const Error& error) {
      std::fprintf(stderr, "%s\n", error.what());
      _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  LOCKSTEP_CHECK(waitpid(child, &status, 0) == child);
  LOCKSTEP_CHECK(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
  return WIFSIGNALED(status);
}

int FailEachCall(int error_number, const std::function<void()>& work,
                 const std::function<void(const Error& error)>& failed) {
  for (int which = 1;; ++which) {
    std::optional<Error> thrown;
    {
      const FailingSystemCalls faults(which, error_number);
      try {
        work();
      } catch (const Error& error) {
        thrown = error;
      }
      LOCKSTEP_CHECK(faults.happened() == thrown.has_value());
    }
    if (!thrown) return which - 1;
    failed(*thrown);
  }
}

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

ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t place) {
  if (lockstep::IsTheOne()) return -1;
  return syscall(SYS_pwrite64, descriptor, bytes, size, place);
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

namespace lockstep {
namespace {

std::atomic<int> threads_left{INT_MAX};

bool IsTooMany() {
  return threads_left.load() != INT_MAX && threads_left.fetch_sub(1) <= 0;
}

}  // namespace

ThreadLimit::ThreadLimit(int more) { threads_left = more; }

ThreadLimit::~ThreadLimit() { threads_left = INT_MAX; }

}  // namespace lockstep

// The linker finds this before the C library's.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* options,
                              void* (*body)(void*), void* argument) noexcept {
  if (lockstep::IsTooMany()) return EAGAIN;
  using Create =
      int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static auto* const create =
      reinterpret_cast<Create*>(dlsym(RTLD_NEXT, "pthread_create"));
  return create(thread, options, body, argument);
}
