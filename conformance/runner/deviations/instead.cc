#include "conformance/runner/deviations/instead.h"

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
    if (finding.holds || expectation.level == Level::kObserved) continue;
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

}  // namespace

Json WhatCameInstead(const CaseResult& result) {
  LOCKSTEP_CHECK(result.verdict != Verdict::kPassed);
  const Json& given = result.conformance_case->given;
  if (!given.contains("replicas") || !given["replicas"].is_array()) {
    return OfRun(result.runs.front());
  }
  Json by_replicas = Json::object();
  for (const RunResult& run : result.runs) {
    if (run.verdict == Verdict::kPassed) continue;
    by_replicas[run.given["replicas"].dump()] = OfRun(run);
  }
  return {{"replicas", by_replicas}};
}

}  // namespace lockstep
