// Threads that belong to an object and end with it.
//
//   ThreadGroup threads("ThreadTeam", 3, [this](int index) { Loop(index); },
//                       [this] { stop_ = true; wake_.notify_all(); });
//
// An object keeps its group as the last member: the threads are gone before
// anything they use.
#ifndef LOCKSTEP_REFERENCE_BASE_THREAD_GROUP_H_
#define LOCKSTEP_REFERENCE_BASE_THREAD_GROUP_H_

#include <functional>
#include <string_view>
#include <thread>
#include <vector>

namespace lockstep {

class ThreadGroup {
 public:
  // Starts `count` threads that run body(0), body(1), ... `stop` makes bodies
  // return, soon after it or at once; it is called where any thread runs.
  // Errors: ResourceExhausted, led by `operation`, when the system gives no
  // more threads; those it gave are stopped and joined by then.
  // REQUIRES: count >= 0; neither function throws.
  ThreadGroup(std::string_view operation, int count,
              std::function<void(int index)> body, std::function<void()> stop);
  // Stops and joins.
  ~ThreadGroup();
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;

 private:
  void StopAndJoin();

  const std::function<void(int)> body_;
  const std::function<void()> stop_;
  std::vector<std::thread> threads_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_THREAD_GROUP_H_
