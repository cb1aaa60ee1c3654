#include "reference/base/threads.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include "reference/base/check.h"
#include "reference/base/cores/free_cores.h"
#include "reference/base/error.h"

namespace lockstep {

ThreadGroup::ThreadGroup(std::string_view operation, int count,
                         std::function<void(int)> body,
                         std::function<void()> stop)
    : body_(std::move(body)), stop_(std::move(stop)) {
  threads_.reserve(count);
  try {
    for (int index = 0; index < count; ++index) {
      threads_.emplace_back([this, index] { body_(index); });
    }
  } catch (const std::system_error& error) {
    const size_t got = threads_.size();
    StopAndJoin();
    throw ResourceExhausted(
        "[{}] wanted {} more threads, got {}: {}. A limit on threads is "
        "reached (`ulimit -u`, or the container's): raise it, or use fewer "
        "replicas or threads",
        operation, count, got, error.code().message());
  } catch (const std::bad_alloc&) {
    StopAndJoin();
    throw;
  }
}

ThreadGroup::~ThreadGroup() { StopAndJoin(); }

void ThreadGroup::StopAndJoin() {
  if (threads_.empty()) return;
  stop_();
  for (std::thread& thread : threads_) thread.join();
}

}  // namespace lockstep

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

namespace lockstep {
namespace {

// The register that controls floating-point arithmetic, and its bits for
// denormal numbers.
#if defined(__x86_64__)
constexpr uint64_t kFlush = 0x8040;  // results, operands
uint64_t Mode() { return _mm_getcsr(); }
void SetMode(uint64_t mode) { _mm_setcsr(static_cast<uint32_t>(mode)); }
#elif defined(__aarch64__)
constexpr uint64_t kFlush = uint64_t{1} << 24;
uint64_t Mode() { return __builtin_aarch64_get_fpcr64(); }
void SetMode(uint64_t mode) { __builtin_aarch64_set_fpcr64(mode); }
#else
constexpr uint64_t kFlush = 1;
uint64_t Mode() { return 0; }
void SetMode(uint64_t) {}
#endif

}  // namespace

FlushDenormals::FlushDenormals(bool flush) : previous_(Mode()) {
  SetMode(flush ? previous_ | kFlush : previous_ & ~kFlush);
}

FlushDenormals::~FlushDenormals() { SetMode(previous_); }

bool FlushDenormals::Active() { return (Mode() & kFlush) == kFlush; }

namespace {

thread_local ThreadTeam* current_team = nullptr;

// Loops of a step follow each other after up to some 100 us, and a thread that
// has slept meanwhile starts too late. So it spins for longer where no other
// thread needs the core.
template <typename T>
T WaitInTeam(const std::atomic<T>& value, T seen) {
  constexpr int kLongSpins = 10 * kDefaultSpins;
  return WaitForChange(value, seen,
                       CoresAreFree() ? kLongSpins : kDefaultSpins);
}

}  // namespace

struct ThreadTeam::State {
  explicit State(int size)
      : errors(size),
        helpers(
            "ThreadTeam", size - 1,
            [this](int index) { HelperLoop(index + 1); }, [this] { Stop(); }) {}

  std::vector<std::exception_ptr> errors;  // one per member
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
      seen = WaitInTeam(generation, seen);
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
    while (left != 0) left = WaitInTeam(pending, left);
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
  // Inside the loop the team is busy: a nested loop runs on its own thread.
  ThreadTeamScope alone(nullptr);
  team->ParallelFor(ranges, [&](int64_t first, int64_t last, int member) {
    body(count * first / ranges, count * last / ranges, member);
  });
}

int CurrentTeamSize() { return current_team ? current_team->size() : 1; }

}  // namespace lockstep
