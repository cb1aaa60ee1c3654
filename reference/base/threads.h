// A fixed team of threads that splits loops over the cores of one replica.
//
//   ThreadTeam team(4);                 // the caller and 3 helpers
//   team.ParallelFor(10, [&](int64_t begin, int64_t end, int member) {
//     for (int64_t i = begin; i < end; ++i) out[i] = f(in[i]);
//   });                                 // returns when all of 0..9 are done
//
// Ranges are contiguous, in member order, and depend only on `count` and the
// team's size, so that a member always gets the same work. An exception in a
// member reaches the caller (lowest member first) after all are done. Members
// flush denormal numbers (FlushDenormals) if the caller does.
//
// Kernels do not name a team: they call the free ParallelFor, which uses the
// calling thread's current team. A replica thread has its own; any other thread
// computes alone, except in a ThreadTeamScope.
#ifndef LOCKSTEP_REFERENCE_BASE_THREADS_H_
#define LOCKSTEP_REFERENCE_BASE_THREADS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

namespace lockstep {

// About 20 to 60 microseconds, depending on the processor: between the loops of
// a computation, where the wait is usually shorter.
inline constexpr int kDefaultSpins = 2000;

// How long to spin when `threads` threads meet: some microseconds if each can
// have a core. Longer spinning would only delay an awaited thread that has no
// core at the moment. If they share cores, it needs this one's at once.
inline int SpinsFor(int threads) {
  constexpr int kShortSpins = 300;
  const unsigned cores = std::thread::hardware_concurrency();
  return static_cast<unsigned>(threads) <= cores ? kShortSpins : 0;
}

// Waiting for another thread: a short spin, then sleep.
//
//   uint32_t seen = generation.load();
//   ...
//   seen = WaitForChange(generation, seen, kSpins);   // returns the new value
//
// A wake-up from sleep costs tens of microseconds, so it spins first; a long
// spin would starve the awaited thread on shared cores. Code that changes the
// value must call notify_one or notify_all afterwards.
//
// Returns the first value seen that is not `seen`.
template <typename T>
T WaitForChange(const std::atomic<T>& value, T seen, int spins) {
  for (int i = 0; i < spins; ++i) {
    const T now = value.load();
    if (now != seen) return now;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  value.wait(seen);
  return value.load();
}

// Threads that are owned by an object and end with it.
//
//   ThreadGroup threads("ThreadTeam", 3, [this](int index) { Loop(index); },
//                       [this] { stop_ = true; wake_.notify_all(); });
//
// The group must be the last member of the object: then the threads end before
// anything that they use.
class ThreadGroup {
 public:
  // Starts `count` threads that run body(0), body(1), ... `stop` must make the
  // bodies return soon; it is called if any thread runs. Errors:
  // ResourceExhausted, led by `operation`, if a thread cannot be started, after
  // the others were stopped and joined.
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

// Treats denormal numbers as zero on the calling thread, as operands and as
// results. The destructor restores the previous setting.
//
//   const FlushDenormals flush;
//   volatile float tiny = 1e-38f;
//   tiny / 10;                      // 0, without the scope 1e-39
//
// Processors compute with denormal numbers up to a hundred times more slowly,
// and the moments of an optimizer become denormal during training. TensorFlow
// flushes them on its compute threads; so do replicas' threads.
class FlushDenormals {
 public:
  // With `flush` false denormal numbers are used as usual.
  explicit FlushDenormals(bool flush = true);
  ~FlushDenormals();
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

  // Whether the calling thread flushes. Always false on a processor that
  // cannot.
  static bool Active();

 private:
  uint64_t previous_;
};

// Half-open range [begin, end) of the loop and the member that runs it.
using LoopBody = std::function<void(int64_t begin, int64_t end, int member)>;

class ThreadTeam {
 public:
  // Starts size - 1 threads. Errors: InvalidArgument for size < 1;
  // ResourceExhausted if a thread cannot be started.
  explicit ThreadTeam(int size);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int size() const;

  // Runs `body` over [0, count). REQUIRES: one caller at a time, not nested.
  void ParallelFor(int64_t count, const LoopBody& body);

  // The calling thread's team; nullptr if it computes alone.
  static ThreadTeam* Current();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Makes `team` the calling thread's current team for its lifetime.
class ThreadTeamScope {
 public:
  explicit ThreadTeamScope(ThreadTeam* team);
  ~ThreadTeamScope();
  ThreadTeamScope(const ThreadTeamScope&) = delete;
  ThreadTeamScope& operator=(const ThreadTeamScope&) = delete;

 private:
  ThreadTeam* previous_;
};

// Splits [0, count) over the current team, but never into ranges shorter than
// `grain`; with one range the body runs on the calling thread as member 0.
// REQUIRES: grain >= 1.
void ParallelFor(int64_t count, int64_t grain, const LoopBody& body);

// The number of members of the current team (1 without a team), an exclusive
// bound of the `member` that a body gets.
int CurrentTeamSize();

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_THREADS_H_
