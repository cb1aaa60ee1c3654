#include "conformance/runner/verdicts/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "conformance/runner/verdicts/compare.h"
#include "conformance/runner/verdicts/rounding.h"
#include "reference/base/check.h"

namespace lockstep {

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPassed:
      return "passed";
    case Verdict::kInformational:
      return "informational";
    case Verdict::kWarned:
      return "warned";
    case Verdict::kDeparted:
      return "departed";
    case Verdict::kUnsupported:
      return "unsupported";
    case Verdict::kFailed:
      return "failed";
    case Verdict::kErrored:
      return "errored";
    case Verdict::kTimedOut:
      return "timed_out";
    case Verdict::kCrashed:
      return "crashed";
    case Verdict::kProtocolError:
      return "protocol_error";
  }
  LOCKSTEP_CHECK(false);
}

namespace {

Difference DiffError(const Expectation& expectation, const Answer& answer) {
  const std::string error_class = expectation.value.get<std::string>();
  const auto* failure = std::get_if<Failure>(&answer);
  if (failure && failure->error_class == error_class &&
      std::ranges::find(expectation.at_steps, failure->at_step) !=
          expectation.at_steps.end()) {
    return std::nullopt;
  }
  return fmt::format("expected the error {} in {}, observed: {}", error_class,
                     fmt::join(expectation.at_steps, " or "),
                     DescribeAnswer(answer));
}

// nullptr if the answer does not have it.
const Json* FindObservation(const Answer& answer, const std::string& name) {
  const auto* observations = std::get_if<Observations>(&answer);
  if (!observations || !observations->values.contains(name)) return nullptr;
  return &observations->values[name];
}

// Perturbs the other run's inputs until the effect explains the difference, at
// most kTrials times: each trial can only allow more. Stores the allowed
// difference in the finding.
Difference DiffToRounding(const Expectation& expectation, const Json& other,
                          const JudgedRun& run, Finding& finding) {
  Rounding rounding(other);
  Difference difference = rounding.Diff(finding.observed);
  for (int trial = 1; difference && trial <= Rounding::kTrials; ++trial) {
    const Answer answer = run.rerun(expectation.other_given, trial);
    const Json* moved = FindObservation(answer, expectation.other_observation);
    if (!moved || !rounding.Add(*moved)) {
      return fmt::format("with perturbed inputs it has another form: {}",
                         DescribeAnswer(answer));
    }
    difference = rounding.Diff(finding.observed);
  }
  finding.rounding = rounding.ToJson();
  return difference;
}

// Stores what it compared with in the finding.
Difference DiffSameAs(const Expectation& expectation, const JudgedRun& run,
                      Finding& finding) {
  Answer other_answer = run.answer;
  if (!expectation.other_given.empty()) {
    other_answer = run.rerun(expectation.other_given, 0);
  }
  const Json* other =
      FindObservation(other_answer, expectation.other_observation);
  if (!other) {
    return fmt::format("nothing to compare with: {}",
                       DescribeAnswer(other_answer));
  }
  finding.compared_with = *other;
  if (expectation.to_rounding) {
    return DiffToRounding(expectation, *other, run, finding);
  }
  return DiffClose(*other, finding.observed, expectation.rtol,
                   expectation.atol);
}

// Stores what it compared with in the finding.
Difference DiffOther(const Expectation& expectation, const Answer& answer,
                     Finding& finding) {
  const Json* other = FindObservation(answer, expectation.other_observation);
  if (!other) {
    return fmt::format("'{}' was not observed", expectation.other_observation);
  }
  finding.compared_with = *other;
  if (DiffEquals(*other, finding.observed)) return std::nullopt;
  return fmt::format("expected a value different from '{}', observed the same",
                     expectation.other_observation);
}

Difference DiffObservation(const Expectation& expectation, const JudgedRun& run,
                           Finding& finding) {
  const Json& observed = finding.observed;
  const auto replicas = static_cast<size_t>(
      expectation.replicas.value_or(run.given.value("replicas", 1)));
  switch (expectation.relation) {
    case Relation::kEquals:
      return DiffEquals(expectation.value, observed);
    case Relation::kClose:
      return DiffClose(expectation.value, observed, expectation.rtol,
                       expectation.atol);
    case Relation::kSameOnAllReplicas:
      return expectation.value == true
                 ? DiffSameOnAllReplicas(observed, replicas)
                 : DiffSameOnAllReplicasInEachRound(observed, replicas);
    case Relation::kMultipleOf:
      return DiffMultipleOf(expectation.value.get<int64_t>(), observed);
    case Relation::kSameMultiset:
      return DiffSameMultiset(expectation.value, observed);
    case Relation::kSameAs:
      return DiffSameAs(expectation, run, finding);
    case Relation::kDiffersFrom:
      return DiffOther(expectation, run.answer, finding);
    case Relation::kEntriesDiffer:
      return DiffEntriesDiffer(observed);
    case Relation::kError:
      break;
  }
  LOCKSTEP_CHECK(false);
}

Finding FindingOf(const Expectation& expectation, const JudgedRun& run) {
  Finding finding{.expectation = &expectation,
                  .holds = false,
                  .difference = "",
                  .observed = nullptr};
  Difference difference;
  if (expectation.relation == Relation::kError) {
    difference = DiffError(expectation, run.answer);
  } else if (const Json* observed =
                 FindObservation(run.answer, expectation.observation)) {
    finding.observed = *observed;
    difference = DiffObservation(expectation, run, finding);
  } else {
    difference =
        fmt::format("'{}' was not observed: {}", expectation.observation,
                    DescribeAnswer(run.answer));
  }
  finding.holds = !difference.has_value();
  finding.difference = difference.value_or("");
  return finding;
}

// The departures of a dialect from promised results.
class Departures {
 public:
  Departures(const std::vector<Expectation>& expectations,
             const Dialect& dialect) {
    for (const Expectation& one : expectations) {
      if (one.departs && Applies(one.when, dialect)) {
        observations_.insert(one.observation);
        is_an_error_ = is_an_error_ || one.relation == Relation::kError;
      }
    }
  }

  bool Replace(const Expectation& promised) const {
    return !promised.departs && !promised.is_implied &&
           (is_an_error_ || observations_.contains(promised.observation));
  }

 private:
  std::set<std::string> observations_;
  bool is_an_error_ = false;
};

}  // namespace

std::vector<Finding> FindingsOf(const std::vector<Expectation>& expectations,
                                const Dialect& dialect, const JudgedRun& run) {
  const Departures departures(expectations, dialect);
  std::vector<Finding> findings;
  for (const Expectation& expectation : expectations) {
    if (!Applies(expectation.when, dialect)) continue;
    if (departures.Replace(expectation)) continue;
    if (expectation.is_implied &&
        !std::holds_alternative<Observations>(run.answer)) {
      continue;
    }
    findings.push_back(FindingOf(expectation, run));
  }
  return findings;
}

bool AllHold(const RunResult& run) {
  return std::ranges::all_of(run.findings, &Finding::holds);
}

std::optional<std::string> WhyNothingApplies(
    const std::vector<Expectation>& expectations, const Dialect& dialect) {
  std::set<std::string> applicable;
  for (const Expectation& expectation : expectations) {
    if (expectation.is_implied) continue;
    if (Applies(expectation.when, dialect)) return std::nullopt;
    applicable.insert(DescribeWhen(expectation.when));
  }
  return fmt::format("judged only for testees that declare {}",
                     fmt::join(applicable, "; or "));
}

std::optional<Verdict> VerdictWithoutJudging(const Answer& answer) {
  if (std::holds_alternative<Unsupported>(answer)) {
    return Verdict::kUnsupported;
  }
  if (std::holds_alternative<TimedOut>(answer)) return Verdict::kTimedOut;
  if (std::holds_alternative<Crashed>(answer)) return Verdict::kCrashed;
  if (std::holds_alternative<ProtocolError>(answer)) {
    return Verdict::kProtocolError;
  }
  return std::nullopt;
}

Verdict VerdictOf(const Answer& answer, const std::vector<Finding>& findings) {
  if (const auto verdict = VerdictWithoutJudging(answer)) return *verdict;
  const auto breaks = [&](Level level) {
    return std::ranges::any_of(findings, [&](const Finding& finding) {
      return !finding.holds && finding.expectation->level == level;
    });
  };
  if (breaks(Level::kRequired)) {
    const bool error_expected =
        findings[0].expectation->relation == Relation::kError;
    return std::holds_alternative<Failure>(answer) && !error_expected
               ? Verdict::kErrored
               : Verdict::kFailed;
  }
  const bool departs =
      std::ranges::any_of(findings, [](const Finding& finding) {
        return finding.expectation->departs &&
               IsJudged(finding.expectation->level);
      });
  if (departs) return Verdict::kDeparted;
  if (breaks(Level::kRecommended)) return Verdict::kWarned;
  const bool any_judged =
      std::ranges::any_of(findings, [](const Finding& finding) {
        return IsJudged(finding.expectation->level);
      });
  return any_judged ? Verdict::kPassed : Verdict::kInformational;
}

}  // namespace lockstep
