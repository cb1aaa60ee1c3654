#include "reference/base/thread_limit.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <climits>

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
