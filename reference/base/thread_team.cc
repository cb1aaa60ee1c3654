#include "reference/base/thread_team.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>
#include <vector>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/base/flush_denormals.h"
#include "reference/base/spin_wait.h"
#include "reference/base/thread_group.h"

namespace lockstep {
namespace {

thread_local ThreadTeam* current_team = nullptr;

}  // namespace

struct ThreadTeam::State {
  explicit State(int size)
      : errors(size),
        helpers(
            "ThreadTeam", size - 1,
            [this](int index) { HelperLoop(index + 1); }, [this] { Stop(); }) {}

  std::vector<std::exception_ptr> errors;  // one a member
  std::atomic<uint32_t> generation{0};     // counts loops; wakes the helpers
  std::atomic<int32_t> pending{0};         // helpers still in the loop
  std::atomic<bool> stop{false};
  const LoopBody* body = nullptr;
  int64_t count = 0;
  int ranges = 0;      // members that take part in this loop
  bool flush = false;  // the caller flushes denormal numbers

  void RunRange(int member) {
    const int64_t begin = count * member / ranges;
    const int64_t end = count * (member + 1) / ranges;
    try {
      (*body)(begin, end, member);
    } catch (...) {
      errors[member] = std::current_exception();
    }
  }

  void HelperLoop(int member) {
    uint32_t seen = 0;
    while (true) {
      seen = WaitForChange(generation, seen, kDefaultSpins);
      if (stop.load()) return;
      if (member < ranges) {
        const FlushDenormals like_caller(flush);
        RunRange(member);
      }
      if (pending.fetch_sub(1) == 1) pending.notify_one();
    }
  }

  void WaitForHelpers() {
    int32_t left = pending.load();
    while (left != 0) left = WaitForChange(pending, left, kDefaultSpins);
  }

  void Stop() {
    stop.store(true);
    generation.fetch_add(1);
    generation.notify_all();
  }

  void RethrowFirst() {
    for (std::exception_ptr& error : errors) {
      if (error) std::rethrow_exception(std::exchange(error, nullptr));
    }
  }

  ThreadGroup helpers;  // last: they use all of the above
};

ThreadTeam::ThreadTeam(int size) {
  if (size < 1) {
    throw InvalidArgument("[ThreadTeam] size must be at least 1, got {}", size);
  }
  state_ = std::make_unique<State>(size);
}

ThreadTeam::~ThreadTeam() = default;

int ThreadTeam::size() const { return static_cast<int>(state_->errors.size()); }

void ThreadTeam::ParallelFor(int64_t count, const LoopBody& body) {
  if (count <= 0) return;
  State& state = *state_;
  state.body = &body;
  state.count = count;
  state.ranges = static_cast<int>(std::min<int64_t>(count, size()));
  state.flush = FlushDenormals::Active();
  std::fill(state.errors.begin(), state.errors.end(), nullptr);
  if (size() > 1) {
    state.pending.store(size() - 1);
    state.generation.fetch_add(1);
    state.generation.notify_all();
  }
  state.RunRange(0);
  state.WaitForHelpers();
  state.RethrowFirst();
}

ThreadTeam* ThreadTeam::Current() { return current_team; }

ThreadTeamScope::ThreadTeamScope(ThreadTeam* team) : previous_(current_team) {
  current_team = team;
}

ThreadTeamScope::~ThreadTeamScope() { current_team = previous_; }

void ParallelFor(int64_t count, int64_t grain, const LoopBody& body) {
  LOCKSTEP_CHECK(grain >= 1);
  if (count <= 0) return;
  ThreadTeam* team = current_team;
  if (team == nullptr || team->size() == 1 || count <= grain) {
    body(0, count, 0);
    return;
  }
  const int64_t ranges = std::min<int64_t>(count / grain, team->size());
  if (ranges <= 1) {
    body(0, count, 0);
    return;
  }
  // Inside the loop the team is busy: a nested loop runs where it is.
  ThreadTeamScope alone(nullptr);
  team->ParallelFor(ranges, [&](int64_t first, int64_t last, int member) {
    body(count * first / ranges, count * last / ranges, member);
  });
}

int CurrentTeamSize() { return current_team ? current_team->size() : 1; }

}  // namespace lockstep
