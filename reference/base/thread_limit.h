// Lets this process have only so many more threads, as a limit of the system's
// would.
//
//   ThreadLimit limit(/*more=*/2);
//   ... the third std::thread from now on, and all later ones, fail: EAGAIN
//
// Linking this library puts a wrapper before the C library's function. Tests
// only.
#ifndef LOCKSTEP_REFERENCE_BASE_THREAD_LIMIT_H_
#define LOCKSTEP_REFERENCE_BASE_THREAD_LIMIT_H_

namespace lockstep {

class ThreadLimit {
 public:
  // REQUIRES: one at a time.
  explicit ThreadLimit(int more);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_THREAD_LIMIT_H_
