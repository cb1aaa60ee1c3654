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
  // `apart`: whether cases with several workers have a separate testee.
  CasesRun(const std::vector<const Case*>& cases, bool apart,
           const Dialect& dialect,
           const std::function<void(CaseResult)>& on_result,
           const std::function<bool()>& stop)
      : cases_(cases), dialect_(dialect), on_result_(on_result), stop_(stop) {
    for (size_t place = 0; place < cases.size(); ++place) {
      (apart && IsMultiWorker(*cases[place]) ? multi_worker_ : others_)
          .push(place);
    }
  }

  // Runs cases on one testee, optionally only those with several workers.
  void Use(Testee& testee, bool only_multi_worker = false) noexcept {
    try {
      testee.Start();
      RunAll(testee, only_multi_worker);
    } catch (const Interrupted&) {
      End(nullptr);
    } catch (...) {
      End(std::current_exception());
    }
  }

  // Starts no further case.
  void End(std::exception_ptr error) noexcept {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    if (!error_) error_ = error;
  }

  // Called after all testees are done. Returns whether all cases have a result.
  bool Conclude() {
    if (error_) std::rethrow_exception(error_);
    // Results of cases after an interrupted one.
    for (auto& [place, result] : waiting_) on_result_(std::move(result));
    return reported_ == cases_.size();
  }

 private:
  struct Open {
    size_t place;  // in cases_
    CaseResult result;
  };

  void RunAll(Testee& testee, bool only_multi_worker) {
    std::vector<Open> open;  // may still have late problems
    while (const std::optional<size_t> place = Take(only_multi_worker)) {
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

  std::optional<size_t> Take(bool only_multi_worker) {
    const std::scoped_lock lock(mutex_);
    if (!ended_ && stop_ && stop_()) ended_ = true;
    std::queue<size_t>& places =
        only_multi_worker || others_.empty() ? multi_worker_ : others_;
    if (ended_ || places.empty()) return std::nullopt;
    const size_t place = places.front();
    places.pop();
    return place;
  }

  static void Amend(std::vector<Open>& open, Testee& testee) {
    for (LateProblem& problem : testee.TakeLateProblems()) {
      for (Open& one : open) {
        for (RunResult& run : one.result.runs) {
          if (std::ranges::count(run.programs, problem.token,
                                 &ProgramRun::token) == 0)
            continue;
          Invalidate(run, std::move(problem.answer), one.result);
        }
      }
    }
  }

  static void Invalidate(RunResult& run, Answer answer, CaseResult& result) {
    run.answer = std::move(answer);
    run.verdict = VerdictOf(run.answer, run.findings);
    result.matches = false;
    result.verdict = std::max(result.verdict, run.verdict);
  }

  // Reports the result, and those that wait for it, once all earlier ones are
  // reported.
  void Finish(Open done) {
    const std::scoped_lock lock(mutex_);
    if (error_) return;
    waiting_.emplace(done.place, std::move(done.result));
    for (auto first = waiting_.begin();
         first != waiting_.end() && first->first == reported_;
         first = waiting_.begin()) {
      on_result_(std::move(first->second));
      waiting_.erase(first);
      ++reported_;
    }
  }

  const std::vector<const Case*>& cases_;
  const Dialect& dialect_;
  const std::function<void(CaseResult)>& on_result_;
  const std::function<bool()>& stop_;
  std::mutex mutex_;                 // guards all below
  std::queue<size_t> multi_worker_;  // places of cases to run
  std::queue<size_t> others_;
  size_t reported_ = 0;  // the results before this place are reported
  bool ended_ = false;
  std::map<size_t, CaseResult> waiting_;  // finished before an earlier one
  std::exception_ptr error_;
};

}  // namespace

bool IsMultiWorker(const Case& conformance_case) {
  return conformance_case.given.contains("workers");
}

bool RunCases(const std::vector<const Case*>& cases, const TesteePool& testees,
              const Dialect& dialect,
              const std::function<void(CaseResult)>& on_result,
              const std::function<bool()>& stop) {
  Testee* const apart = testees.multi_worker;
  CasesRun run(cases, apart != nullptr, dialect, on_result, stop);
  const int more_of_all = static_cast<int>(testees.general.size()) - 1;
  const int others = more_of_all + (apart != nullptr ? 1 : 0);
  {
    std::latch done(others);
    const ThreadGroup threads(
        "RunCases", others,
        [&](int index) {
          const bool is_apart = index == more_of_all;
          run.Use(is_apart ? *apart : *testees.general[index + 1], is_apart);
          done.count_down();
        },
        [&] { run.End(nullptr); });
    run.Use(*testees.general[0]);
    done.wait();
  }
  return run.Conclude();
}

}  // namespace lockstep
