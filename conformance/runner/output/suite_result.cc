#include "conformance/runner/output/suite_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lockstep {

bool SuiteResult::IsUnexpected(const std::string& case_id) const {
  return std::ranges::find(unexpected, case_id, &Unexpected::subject) !=
         unexpected.end();
}

std::string TopicOf(const std::string& case_id) {
  return case_id.substr(0, case_id.rfind('/'));
}

double SecondsOf(const CaseResult& result) {
  double seconds = 0;
  for (const RunResult& run : result.runs) seconds += run.seconds;
  return seconds;
}

VerdictCounts CountVerdicts(const std::vector<CaseRecord>& records) {
  VerdictCounts counts;
  for (Verdict verdict : kVerdicts) counts[verdict] = 0;
  for (const CaseRecord& record : records) ++counts[record.result().verdict];
  return counts;
}

std::string Summary(const std::vector<CaseRecord>& records) {
  std::vector<std::string> parts;
  for (const auto& [verdict, count] : CountVerdicts(records)) {
    parts.push_back(fmt::format("{} {}", count, VerdictName(verdict)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

namespace {

constexpr int kFormat = 1;

// Whole microseconds: more digits say nothing.
double Seconds(double seconds) { return std::round(seconds * 1e6) / 1e6; }

Json FindingToJson(const Finding& finding, const Case& conformance_case) {
  Json json = {
      {"expectation", finding.expectation - conformance_case.expect.data()},
      {"level", LevelName(finding.expectation->level)},
      {"holds", finding.holds}};
  if (!finding.observed.is_null()) json["observed"] = finding.observed;
  if (!finding.compared_with.is_null()) {
    json["compared_with"] = finding.compared_with;
  }
  if (!finding.holds) json["difference"] = finding.difference;
  return json;
}

Json RunToJson(const RunResult& run, const Case& conformance_case) {
  Json json = {{"given", run.given},
               {"verdict", VerdictName(run.verdict)},
               {"duration_s", Seconds(run.seconds)}};
  json.update(AnswerToJson(run.answer));
  Json findings = Json::array();
  for (const Finding& finding : run.findings) {
    findings.push_back(FindingToJson(finding, conformance_case));
  }
  json["findings"] = findings;
  return json;
}

Json CitesToJson(const Case& conformance_case, const Sources& sources) {
  Json cites = Json::array();
  for (const Citation& citation : conformance_case.cites) {
    cites.push_back({{"source", citation.source},
                     {"anchor", citation.anchor},
                     {"url", sources.Link(citation)}});
  }
  return cites;
}

Json DeviationToJson(const Deviation& entry) {
  Json json = {{"id", entry.id},
               {"kind", entry.kind},
               {"reason", entry.reason},
               {"reference", entry.reference},
               {"versions", entry.versions}};
  if (!entry.repro.empty()) json["repro"] = entry.repro;
  return json;
}

Json CaseToJson(const CaseRecord& record, const SuiteResult& suite,
                const Sources& sources) {
  const CaseResult& result = record.result();
  const Case& conformance_case = *result.conformance_case;
  Json runs = Json::array();
  for (const RunResult& run : result.runs) {
    runs.push_back(RunToJson(run, conformance_case));
  }
  Json json = {{"id", conformance_case.id},
               {"topic", conformance_case.topic},
               {"level", LevelName(conformance_case.level)},
               {"states", conformance_case.states},
               {"cites", CitesToJson(conformance_case, sources)},
               {"given", conformance_case.given},
               {"program", conformance_case.program},
               {"expect", conformance_case.expect_json},
               {"verdict", VerdictName(result.verdict)},
               {"as_expected", !suite.IsUnexpected(conformance_case.id)},
               {"observed_differently", result.observed_differently},
               {"flickers", !record.flicker().empty()},
               {"duration_s", Seconds(SecondsOf(result))}};
  const Deviation* entry = suite.deviations.Find(conformance_case.id);
  if (entry) json["deviation"] = DeviationToJson(*entry);
  json["runs"] = runs;
  return json;
}

Json TesteeToJson(const SuiteResult& suite) {
  const TesteeDeclaration& declaration = suite.declaration;
  Json declared = Json::array();
  for (const auto& [convention, value] : declaration.conventions) {
    declared.push_back(convention);
  }
  return {{"name", suite.name},
          {"implementation", declaration.implementation},
          {"language", declaration.language},
          {"devices", declaration.devices},
          {"conventions", Json(suite.dialect)},
          {"declared_conventions", declared},
          {"steps", declaration.steps}};
}

Json UnexpectedToJson(const SuiteResult& suite) {
  Json json = Json::array();
  for (const Unexpected& unexpected : suite.unexpected) {
    json.push_back({{"problem", ProblemName(unexpected.problem)},
                    {"subject", unexpected.subject},
                    {"text", unexpected.text}});
  }
  return json;
}

}  // namespace

Json ToJson(const SuiteResult& suite, const Sources& sources) {
  Json summary = Json::object();
  for (const auto& [verdict, count] : CountVerdicts(suite.records)) {
    summary[std::string(VerdictName(verdict))] = count;
  }
  Json cases = Json::array();
  for (const CaseRecord& record : suite.records) {
    cases.push_back(CaseToJson(record, suite, sources));
  }
  const CaseSelection& selection = suite.settings.selection;
  return {{"format", kFormat},
          {"complete", suite.complete},
          {"as_expected", suite.AsExpected()},
          {"started", suite.started},
          {"duration_s", Seconds(suite.seconds)},
          {"testee", TesteeToJson(suite)},
          {"options",
           {{"cases", suite.settings.cases},
            {"filter", selection.filter},
            {"levels", selection.levels},
            {"areas", selection.areas},
            {"shard", fmt::format("{}/{}", selection.shard, selection.shards)},
            {"repeat", suite.settings.repeat},
            {"deadline_s", suite.settings.deadline_s}}},
          {"summary", summary},
          {"unexpected", UnexpectedToJson(suite)},
          {"cases", cases}};
}

}  // namespace lockstep
