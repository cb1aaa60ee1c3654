#include "conformance/runner/verdicts/run_cases.h"

#include <algorithm>
#include <exception>
#include <latch>
#include <map>
#include <mutex>
#include <optional>
#include <queue>
#include <utility>

#include "conformance/runner/verdicts/run_case.h"
#include "reference/base/threads.h"

namespace lockstep {
namespace {

class CasesRun {
 public:
  // `apart`: whether cases of several workers have a testee of their own.
  CasesRun(const std::vector<const Case*>& cases, bool apart,
           const Dialect& dialect,
           const std::function<void(CaseResult)>& on_result,
           const std::function<bool()>& stop)
      : cases_(cases), dialect_(dialect), on_result_(on_result), stop_(stop) {
    for (size_t place = 0; place < cases.size(); ++place) {
      (apart && IsOfWorkers(*cases[place]) ? of_workers_ : others_).push(place);
    }
  }

  // One testee's part: of all cases or, as the last argument, of workers' only.
  void Use(Testee& testee, bool only_of_workers = false) noexcept {
    try {
      testee.Start();
      AskAll(testee, only_of_workers);
    } catch (const Interrupted&) {
      End(nullptr);
    } catch (...) {
      End(std::current_exception());
    }
  }

  // No further case is put to anybody.
  void End(std::exception_ptr error) noexcept {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    if (!error_) error_ = error;
  }

  // After all parts. Returns whether all cases have a result.
  bool Conclude() {
    if (error_) std::rethrow_exception(error_);
    // Those behind a case that was interrupted.
    for (auto& [place, result] : waiting_) on_result_(std::move(result));
    return told_ == cases_.size();
  }

 private:
  struct Open {
    size_t place;  // in cases_
    CaseResult result;
  };

  void AskAll(Testee& testee, bool only_of_workers) {
    std::vector<Open> open;  // may still be spoilt
    while (const std::optional<size_t> place = Take(only_of_workers)) {
      try {
        open.push_back({*place, RunCase(*cases_[*place], testee, dialect_)});
      } catch (const Interrupted&) {
        End(nullptr);
        break;
      }
      Amend(open, testee);
      if (open.size() < 2) continue;
      Finish(std::move(open.front()));
      open.erase(open.begin());
    }
    testee.Stop();
    Amend(open, testee);
    for (Open& last : open) Finish(std::move(last));
  }

  std::optional<size_t> Take(bool only_of_workers) {
    const std::scoped_lock lock(mutex_);
    if (!ended_ && stop_ && stop_()) ended_ = true;
    std::queue<size_t>& places =
        only_of_workers || others_.empty() ? of_workers_ : others_;
    if (ended_ || places.empty()) return std::nullopt;
    const size_t place = places.front();
    places.pop();
    return place;
  }

  static void Amend(std::vector<Open>& open, Testee& testee) {
    for (LateProblem& problem : testee.TakeLateProblems()) {
      for (Open& one : open) {
        for (RunResult& run : one.result.runs) {
          if (std::ranges::count(run.asked, problem.token,
                                 &AskedProgram::token) == 0)
            continue;
          Spoil(run, std::move(problem.answer), one.result);
        }
      }
    }
  }

  static void Spoil(RunResult& run, Answer answer, CaseResult& result) {
    run.answer = std::move(answer);
    run.verdict = VerdictOf(run.answer, run.findings);
    result.matches = false;
    result.verdict = std::max(result.verdict, run.verdict);
  }

  // Tells it, and those that waited for it, once all before it are told.
  void Finish(Open done) {
    const std::scoped_lock lock(mutex_);
    if (error_) return;
    waiting_.emplace(done.place, std::move(done.result));
    for (auto first = waiting_.begin();
         first != waiting_.end() && first->first == told_;
         first = waiting_.begin()) {
      on_result_(std::move(first->second));
      waiting_.erase(first);
      ++told_;
    }
  }

  const std::vector<const Case*>& cases_;
  const Dialect& dialect_;
  const std::function<void(CaseResult)>& on_result_;
  const std::function<bool()>& stop_;
  std::mutex mutex_;               // of all below
  std::queue<size_t> of_workers_;  // places of those to be asked
  std::queue<size_t> others_;
  size_t told_ = 0;  // in front of which all are told
  bool ended_ = false;
  std::map<size_t, CaseResult> waiting_;  // finished before one in front
  std::exception_ptr error_;
};

}  // namespace

bool IsOfWorkers(const Case& conformance_case) {
  return conformance_case.given.contains("workers");
}

bool RunCases(const std::vector<const Case*>& cases,
              const TesteesAtOnce& testees, const Dialect& dialect,
              const std::function<void(CaseResult)>& on_result,
              const std::function<bool()>& stop) {
  Testee* const apart = testees.of_workers;
  CasesRun run(cases, apart != nullptr, dialect, on_result, stop);
  const int more_of_all = static_cast<int>(testees.of_all.size()) - 1;
  const int others = more_of_all + (apart != nullptr ? 1 : 0);
  {
    std::latch done(others);
    const ThreadGroup threads(
        "RunCases", others,
        [&](int index) {
          const bool is_apart = index == more_of_all;
          run.Use(is_apart ? *apart : *testees.of_all[index + 1], is_apart);
          done.count_down();
        },
        [&] { run.End(nullptr); });
    run.Use(*testees.of_all[0]);
    done.wait();
  }
  return run.Conclude();
}

}  // namespace lockstep
