// A fixed team of threads that splits loops: the cores one replica computes on.
//
//   ThreadTeam team(4);                 // the caller and 3 helpers
//   team.ParallelFor(10, [&](int64_t begin, int64_t end, int member) {
//     for (int64_t i = begin; i < end; ++i) out[i] = f(in[i]);
//   });                                 // returns when all of 0..9 are done
//
// Ranges are contiguous, in member order, and depend on `count` and the team's
// size alone, so that the same work always meets the same member. An exception
// in one member reaches the caller (lowest member first) after all are done.
// Members flush denormal numbers (flush_denormals.h) where the caller does.
//
// Kernels do not name a team: they call the free ParallelFor, which uses the
// calling thread's current team (a replica thread has its own; any other thread
// computes alone unless a ThreadTeamScope says otherwise).
#ifndef LOCKSTEP_REFERENCE_BASE_THREAD_TEAM_H_
#define LOCKSTEP_REFERENCE_BASE_THREAD_TEAM_H_

#include <cstdint>
#include <functional>
#include <memory>

namespace lockstep {

// Half-open range [begin, end) of the loop and the member that runs it.
using LoopBody = std::function<void(int64_t begin, int64_t end, int member)>;

class ThreadTeam {
 public:
  // Starts size - 1 threads. Errors: InvalidArgument for size < 1,
  // ResourceExhausted when the system gives no more threads.
  explicit ThreadTeam(int size);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int size() const;

  // Runs `body` over [0, count). REQUIRES: one caller at a time, not nested.
  void ParallelFor(int64_t count, const LoopBody& body);

  // The calling thread's team, nullptr when it computes alone.
  static ThreadTeam* Current();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Makes `team` the calling thread's current team while the scope lives.
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

// Members the current team has (1 without a team): the `member` values that a
// body may see are below it.
int CurrentTeamSize();

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_THREAD_TEAM_H_
