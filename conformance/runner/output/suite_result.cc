#include "conformance/runner/output/suite_result.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "command_line/version.h"
#include "conformance/runner/text/json_file.h"
#include "conformance/runner/text/readable_text.h"
#include "conformance/runner/text/shell_word.h"

namespace lockstep {

std::string RerunCommand(const SuiteSettings& settings,
                         const std::string& case_id) {
  std::string command =
      settings.program + " " + ShellWord("--testee=" + settings.testee);
  if (settings.cases != kBuiltInCases) {
    command += " " + ShellWord("--cases=" + settings.cases);
  }
  return command + " " + ShellWord("--filter=" + case_id);
}

std::string ExplainCommand(const SuiteSettings& settings,
                           const std::string& case_id) {
  if (settings.explain.empty() || settings.cases != kBuiltInCases) return "";
  return settings.explain + " " + ShellWord(case_id);
}

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

std::map<Level, LevelCounts> CountByLevel(
    const std::vector<CaseRecord>& records) {
  std::map<Level, LevelCounts> levels;
  for (const Level level : kLevels) {
    for (const Verdict verdict : kVerdicts) levels[level].verdicts[verdict] = 0;
  }
  for (const CaseRecord& record : records) {
    const CaseResult& result = record.result();
    const Level level = result.conformance_case->level;
    LevelCounts& counts = levels[level];
    ++counts.cases;
    counts.matches += result.matches;
    ++counts.verdicts[result.verdict];
  }
  return levels;
}

PromiseCounts CountPromise(const std::vector<CaseRecord>& records) {
  PromiseCounts counts;
  for (const CaseRecord& record : records) {
    const CaseResult& result = record.result();
    if (!result.conformance_case->of_intents ||
        result.conformance_case->level != Level::kRequired) {
      continue;
    }
    ++counts.cases;
    switch (result.verdict) {
      case Verdict::kPassed:
        ++counts.kept;
        break;
      case Verdict::kDeparted:
        ++counts.departed;
        break;
      case Verdict::kUnsupported:
        ++counts.unsupported;
        break;
      default:
        ++counts.broken;
    }
  }
  return counts;
}

namespace {

// "140 of 165 kept, 9 by convention, 2 broken, 14 unsupported".
std::string DescribePromise(const PromiseCounts& counts) {
  std::string text = fmt::format("{} of {} kept", counts.kept, counts.cases);
  const std::pair<int, const char*> others[] = {
      {counts.departed, "by convention"},
      {counts.broken, "broken"},
      {counts.unsupported, "unsupported"}};
  for (const auto& [count, word] : others) {
    if (count > 0) text += fmt::format(", {} {}", count, word);
  }
  return text;
}

// One line per reason: the number of cases, and the first of them.
std::string DescribeReasons(const std::map<std::string, std::string>& reasons,
                            const char* problem) {
  std::map<std::string, std::vector<std::string>> cases;
  for (const auto& [id, reason] : reasons) cases[reason].push_back(id);
  std::string text;
  for (const auto& [reason, ids] : cases) {
    text += fmt::format("warning: {} case{} {}: {}: {}{}\n", ids.size(),
                        ids.size() == 1 ? "" : "s", problem, reason,
                        ids.front(), ids.size() > 1 ? ", ..." : "");
  }
  return text;
}

// "250 of 262 passed, 10 unsupported"; for levels that are not judged "239
// informational, 230 match".
std::string DescribeCounts(Level level, const LevelCounts& counts) {
  std::string text =
      IsJudged(level)
          ? fmt::format("{} of {} passed", counts.verdicts.at(Verdict::kPassed),
                        counts.cases)
          : fmt::format("{} informational, {} match",
                        counts.verdicts.at(Verdict::kInformational),
                        counts.matches);
  for (const auto& [verdict, count] : counts.verdicts) {
    const bool is_counted =
        verdict ==
        (IsJudged(level) ? Verdict::kPassed : Verdict::kInformational);
    if (count > 0 && !is_counted) {
      text += fmt::format(", {} {}", count, VerdictName(verdict));
    }
  }
  return text;
}

}  // namespace

std::string DescribeStale(const SuiteResult& suite) {
  std::string text =
      DescribeReasons(suite.not_answered, "without an answer") +
      DescribeReasons(suite.outdated, "answered before a change");
  if (text.empty()) return "";
  return text + fmt::format("run again: {} --testee={} --record --stale\n",
                            suite.settings.program, suite.settings.testee);
}

std::string Summary(const std::vector<CaseRecord>& records) {
  std::map<Level, LevelCounts> levels = CountByLevel(records);
  const PromiseCounts promise = CountPromise(records);
  std::string text =
      promise.cases == 0 ? "" : "promise: " + DescribePromise(promise) + "\n";
  text +=
      "required: " + DescribeCounts(Level::kRequired, levels[Level::kRequired]);
  levels.erase(Level::kRequired);
  const char* lead = "\nalso: ";
  for (const auto& [level, counts] : levels) {
    if (counts.cases == 0) continue;
    text += fmt::format("{}{} {}", lead, LevelName(level),
                        DescribeCounts(level, counts));
    lead = "; ";
  }
  return text;
}

namespace {

constexpr int kFormat = 5;

// Whole microseconds: more digits are noise.
double Seconds(double seconds) { return std::round(seconds * 1e6) / 1e6; }

// The value, or the beginning of a very long one, as text.
Json Excerpt(const Json& value) {
  if (!IsLongerThan(kMaxReportedBytes, value)) return value;
  return ReadableLine(OneLineJson(value));
}

Json ReportedAnswer(const Answer& answer) {
  if (const auto* observations = std::get_if<Observations>(&answer)) {
    Json reported = Json::object();
    for (const auto& [name, value] : observations->values.items()) {
      reported[name] = Excerpt(value);
    }
    return {{"observations", reported}};
  }
  Json reported = AnswerToJson(answer);
  for (Json& fields : reported) {
    for (Json& value : fields) value = Excerpt(value);
  }
  return reported;
}

Json FindingToJson(const Finding& finding, const Case& conformance_case) {
  Json json = {
      {"expectation", finding.expectation - conformance_case.expect.data()},
      {"level", LevelName(finding.expectation->level)},
      {"holds", finding.holds}};
  if (!finding.observed.is_null()) json["observed"] = Excerpt(finding.observed);
  if (!finding.compared_with.is_null()) {
    json["compared_with"] = Excerpt(finding.compared_with);
  }
  if (!finding.rounding.is_null()) json["rounding"] = finding.rounding;
  if (!finding.holds) json["difference"] = finding.difference;
  if (!finding.first_difference.empty()) {
    json["first_difference"] = finding.first_difference;
  }
  return json;
}

Json RunToJson(const RunResult& run, const Case& conformance_case) {
  Json tokens = Json::array();
  for (const ProgramRun& program : run.programs)
    tokens.push_back(program.token);
  Json json = {{"given", run.given},
               {"verdict", VerdictName(run.verdict)},
               {"duration_s", Seconds(run.seconds)},
               {"tokens", tokens}};
  json.update(ReportedAnswer(run.answer));
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
  Json json = {{"kind", entry.kind},
               {"reason", entry.reason},
               {"references", entry.references}};
  if (!entry.script.empty()) json["script"] = entry.script;
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
               {"tier", conformance_case.of_intents ? "intents" : "calls"},
               {"states", conformance_case.states},
               {"cites", CitesToJson(conformance_case, sources)},
               {"given", conformance_case.given},
               {"program", conformance_case.program},
               {"expect", conformance_case.expect_json},
               {"verdict", VerdictName(result.verdict)},
               {"as_expected", !suite.IsUnexpected(conformance_case.id)},
               {"matches", result.matches},
               {"flickers", !record.flicker().empty()},
               {"duration_s", Seconds(SecondsOf(result))}};
  const std::optional<Deviation> entry = suite.deviations.FindFor(result);
  if (entry) json["deviation"] = DeviationToJson(*entry);
  const auto outdated = suite.outdated.find(conformance_case.id);
  if (outdated != suite.outdated.end()) json["outdated"] = outdated->second;
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

Json SummaryToJson(const std::vector<CaseRecord>& records) {
  Json summary = Json::object();
  for (const auto& [level, counts] : CountByLevel(records)) {
    Json verdicts = Json::object();
    for (const auto& [verdict, count] : counts.verdicts) {
      verdicts[std::string(VerdictName(verdict))] = count;
    }
    summary[std::string(LevelName(level))] = {{"cases", counts.cases},
                                              {"matches", counts.matches},
                                              {"verdicts", verdicts}};
  }
  return summary;
}

Json HeadlineToJson(const std::vector<CaseRecord>& records) {
  const PromiseCounts promise = CountPromise(records);
  const LevelCounts required = CountByLevel(records)[Level::kRequired];
  return {{"promise",
           {{"cases", promise.cases},
            {"kept", promise.kept},
            {"departed", promise.departed},
            {"broken", promise.broken},
            {"unsupported", promise.unsupported}}},
          {"required",
           {{"cases", required.cases},
            {"passed", required.verdicts.at(Verdict::kPassed)}}}};
}

Json OptionsToJson(const SuiteSettings& settings) {
  const CaseSelection& selection = settings.selection;
  Json enforced = Json::array();
  for (const Level level : settings.enforced) {
    enforced.push_back(LevelName(level));
  }
  return {{"cases", settings.cases},
          {"filter", selection.filter},
          {"levels", selection.levels},
          {"areas", selection.areas},
          {"shard", fmt::format("{}/{}", selection.shard, selection.shards)},
          {"enforce", enforced},
          {"repeat", settings.repeat},
          {"deadline_s", settings.deadline_s}};
}

}  // namespace

Json ToJson(const SuiteResult& suite, const Sources& sources) {
  Json cases = Json::array();
  for (const CaseRecord& record : suite.records) {
    cases.push_back(CaseToJson(record, suite, sources));
  }
  return {{"format", kFormat},
          {"suite", kVersion},
          {"complete", suite.complete},
          {"as_expected", suite.AsExpected()},
          {"started", suite.started},
          {"duration_s", Seconds(suite.seconds)},
          {"testee", TesteeToJson(suite)},
          {"options", OptionsToJson(suite.settings)},
          {"headline", HeadlineToJson(suite.records)},
          {"summary", SummaryToJson(suite.records)},
          {"unexpected", UnexpectedToJson(suite)},
          {"not_answered", Json(suite.not_answered)},
          {"cases", cases}};
}

}  // namespace lockstep
