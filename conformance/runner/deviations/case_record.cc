#include "conformance/runner/deviations/case_record.h"

#include <fmt/core.h>

#include <algorithm>

#include "conformance/runner/verdicts/rounding.h"
#include "reference/base/check.h"

namespace lockstep {
namespace {

Json Of(const Failure& failure, const RunResult&) {
  return {{"error",
           {{"class", failure.error_class}, {"at_step", failure.at_step}}}};
}

Json Of(const Unsupported& unsupported, const RunResult&) {
  return {{"unsupported", {{"step", unsupported.step}}}};
}

Json Of(const TimedOut&, const RunResult&) { return {{"timed_out", true}}; }

Json Of(const Crashed& crashed, const RunResult&) {
  return {{"crashed", crashed.by}};
}

Json Of(const ProtocolError&, const RunResult&) {
  return {{"protocol_error", true}};
}

Json Of(const Observations& observations, const RunResult& run) {
  Json differing = Json::object();
  Json compared_with = Json::object();
  for (const Finding& finding : run.findings) {
    const Expectation& expectation = *finding.expectation;
    if (finding.holds || !IsJudged(expectation.level)) continue;
    if (expectation.relation == Relation::kError) {
      return {{"observations", observations.values}};
    }
    differing[expectation.observation] = finding.observed;
    if (!finding.compared_with.is_null()) {
      compared_with[expectation.observation] = finding.compared_with;
    }
  }
  Json instead = {{"observations", differing}};
  if (!compared_with.empty()) instead["compared_with"] = compared_with;
  return instead;
}

Json OfRun(const RunResult& run) {
  return std::visit([&](const auto& answer) { return Of(answer, run); },
                    run.answer);
}

bool IsToleranceWritten(const Expectation& expectation) {
  return expectation.rtol > 0 || expectation.atol > 0;
}

// The allowed differences of the observation and of what it was compared with.
NumberByEntry AllowedOf(const Finding& finding) {
  const Expectation& expectation = *finding.expectation;
  NumberByEntry allowed;
  if (IsToleranceWritten(expectation)) {
    for (const auto& [entry, largest] : LargestByEntry(finding.observed)) {
      allowed[entry] = expectation.atol + expectation.rtol * largest;
    }
  } else if (expectation.relation == Relation::kSameAs) {
    // Both sides are computed: neither has exact expected numbers.
    for (const Json& rounding :
         {Rounding(finding.observed).ToJson(), finding.rounding}) {
      for (const auto& [entry, most] : rounding.items()) {
        allowed[entry] = std::max(allowed[entry], most.get<double>());
      }
    }
  }
  return allowed;
}

// Adds the allowed differences of both sides of a finding.
void Allow(const Finding& finding, const std::string& run,
           NumberByEntry& allowed) {
  const Expectation& expectation = *finding.expectation;
  const bool is_written = IsToleranceWritten(expectation);
  for (const auto& [entry, most] : AllowedOf(finding)) {
    for (const char* side : {".observations.", ".compared_with."}) {
      double& already = allowed[run + side + expectation.observation + entry];
      already = is_written ? most : std::max(already, most);
    }
  }
}

// The allowed differences by entry of ActualOutcome.
NumberByEntry AllowedOf(const CaseResult& result) {
  const bool several = HasSeveralReplicaCounts(result.conformance_case->given);
  NumberByEntry allowed;
  for (const RunResult& run : result.runs) {
    const std::string place =
        several ? ".replicas." + run.given["replicas"].dump() : "";
    for (const Finding& finding : run.findings) Allow(finding, place, allowed);
  }
  return allowed;
}

}  // namespace

Difference DiffRecorded(const Json& recorded, const CaseResult& result) {
  const NumberByEntry allowed = AllowedOf(result);
  return DiffWithin(recorded, ActualOutcome(result),
                    [&](const std::string& entry) {
                      const auto found = allowed.find(entry);
                      return found == allowed.end() ? 0 : found->second;
                    });
}

Json ActualOutcome(const CaseResult& result) {
  LOCKSTEP_CHECK(MayBeListed(result.verdict));
  if (!HasSeveralReplicaCounts(result.conformance_case->given)) {
    return OfRun(result.runs.front());
  }
  Json by_replicas = Json::object();
  for (const RunResult& run : result.runs) {
    if (!MayBeListed(run.verdict)) continue;
    by_replicas[run.given["replicas"].dump()] = OfRun(run);
  }
  return {{"replicas", by_replicas}};
}

namespace {

// The part of a result that repetitions must reproduce. A value that no
// expectation determines, such as a random one, may differ.
Json StableOutcome(const CaseResult& result) {
  Json holds = Json::array();
  for (const RunResult& run : result.runs) {
    Json of_run = Json::array();
    for (const Finding& finding : run.findings) of_run.push_back(finding.holds);
    holds.push_back(std::move(of_run));
  }
  Json stays = {{"verdict", VerdictName(result.verdict)}};
  if (MayBeListed(result.verdict)) {
    stays["instead"] = ActualOutcome(result);
  }
  stays["holds"] = holds;
  return stays;
}

}  // namespace

CaseRecord::CaseRecord(CaseResult first)
    : first_(StableOutcome(first)), worst_(std::move(first)) {}

void CaseRecord::Add(CaseResult repetition) {
  ++repetitions_;
  if (flicker_.empty()) {
    const Difference difference = DiffEquals(first_, StableOutcome(repetition));
    if (difference) {
      flicker_ = fmt::format("repetition {} differs from the first: {}",
                             repetitions_, *difference);
    }
  }
  if (repetition.verdict > worst_.verdict) worst_ = std::move(repetition);
}

}  // namespace lockstep
