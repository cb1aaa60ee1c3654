#include "conformance/runner/report.h"

#include <fmt/format.h>

#include "conformance/runner/explain.h"

namespace lockstep {
namespace {

Json RunToJson(const RunResult& run) {
  Json json = {{"given", run.given}, {"verdict", VerdictName(run.verdict)}};
  json.update(AnswerToJson(run.answer));
  Json broken = Json::array();
  for (const Finding& finding : run.findings) {
    if (finding.holds) continue;
    const Expectation& expectation = *finding.expectation;
    broken.push_back({{"observation", expectation.observation},
                      {"relation", RelationName(expectation.relation)},
                      {"expected", expectation.value},
                      {"level", LevelName(expectation.level)},
                      {"difference", finding.difference}});
  }
  if (!broken.empty()) json["does_not_hold"] = broken;
  return json;
}

Json CaseToJson(const CaseResult& result) {
  const Case& conformance_case = *result.conformance_case;
  Json cites = Json::array();
  for (const Citation& citation : conformance_case.cites) {
    cites.push_back({{"source", citation.source}, {"anchor", citation.anchor}});
  }
  Json runs = Json::array();
  for (const RunResult& run : result.runs) runs.push_back(RunToJson(run));
  return {{"id", conformance_case.id},
          {"level", LevelName(conformance_case.level)},
          {"states", conformance_case.states},
          {"cites", cites},
          {"verdict", VerdictName(result.verdict)},
          {"observed_differently", result.observed_differently},
          {"runs", runs}};
}

// "input/rebatch" for "input/rebatch/last_global_batch_is_split".
std::string TopicPath(const CaseResult& result) {
  const std::string& id = result.conformance_case->id;
  return id.substr(0, id.rfind('/'));
}

std::string TopicTable(const std::vector<CaseResult>& results) {
  std::map<std::string, VerdictCounts> topics;
  for (const CaseResult& result : results) {
    ++topics[TopicPath(result)][result.verdict];
  }
  std::string text = "| topic |";
  std::string rule = "|---|";
  for (Verdict verdict : kVerdicts) {
    text += fmt::format(" {} |", VerdictName(verdict));
    rule += "---:|";
  }
  text += "\n" + rule + "\n";
  for (auto& [topic, counts] : topics) {
    text += fmt::format("| {} |", topic);
    for (Verdict verdict : kVerdicts) {
      text += fmt::format(" {} |", counts[verdict]);
    }
    text += "\n";
  }
  return text;
}

}  // namespace

VerdictCounts CountVerdicts(const std::vector<CaseResult>& results) {
  VerdictCounts counts;
  for (Verdict verdict : kVerdicts) counts[verdict] = 0;
  for (const CaseResult& result : results) ++counts[result.verdict];
  return counts;
}

std::string Summary(const std::vector<CaseResult>& results) {
  std::vector<std::string> parts;
  for (const auto& [verdict, count] : CountVerdicts(results)) {
    parts.push_back(fmt::format("{} {}", count, VerdictName(verdict)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

Json ToJson(const std::vector<CaseResult>& results, const std::string& testee) {
  Json summary = Json::object();
  for (const auto& [verdict, count] : CountVerdicts(results)) {
    summary[std::string(VerdictName(verdict))] = count;
  }
  Json cases = Json::array();
  for (const CaseResult& result : results) cases.push_back(CaseToJson(result));
  return {{"format", 1},
          {"testee", testee},
          {"summary", summary},
          {"cases", cases}};
}

std::string ToMarkdown(const std::vector<CaseResult>& results,
                       const std::string& testee, const Sources& sources) {
  std::string text =
      fmt::format("# Conformance of {}\n\n{} cases: {}.\n\n{}", testee,
                  results.size(), Summary(results), TopicTable(results));
  for (const CaseResult& result : results) {
    if (result.verdict == Verdict::kPassed && !result.observed_differently) {
      continue;
    }
    text += "\n```\n" +
            ExplainResult(result, sources,
                          RerunCommand(testee, result.conformance_case->id)) +
            "```\n";
  }
  return text;
}

}  // namespace lockstep
