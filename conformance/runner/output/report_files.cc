#include "conformance/runner/output/report_files.h"

#include <fmt/format.h>

#include <map>
#include <sstream>

#include "conformance/runner/output/junit.h"
#include "conformance/runner/output/suite_result.h"
#include "conformance/runner/output/unsupported_groups.h"
#include "conformance/runner/text/json_file.h"
#include "conformance/runner/verdicts/explain.h"
#include "reference/base/check.h"

namespace lockstep {
namespace {

std::string Head(const SuiteResult& suite, const UnsupportedGroups& groups) {
  std::string text =
      fmt::format("# Conformance of {}\n\n{}, {} cases.\n\n", suite.name,
                  suite.declaration.implementation, suite.records.size());
  std::istringstream lines(Summary(suite.records));
  for (std::string line; std::getline(lines, line);) {
    text += fmt::format("- {}\n", line);
  }
  if (!suite.complete) text += "\nIncomplete: the run was interrupted.\n";
  const std::string stale = DescribeStale(suite);
  if (!stale.empty()) text += "\n```\n" + stale + "```\n";
  text += suite.unexpected.empty() ? "\nEverything is as expected.\n"
                                   : "\n## Not as expected\n\n";
  for (const Unexpected& unexpected : suite.unexpected) {
    if (groups.Contains(unexpected.subject)) continue;
    text += fmt::format("- `{}`: {}\n", unexpected.subject, unexpected.text);
  }
  const std::string grouped = groups.Describe();
  return grouped.empty() ? text : text + "\n```\n" + grouped + "```\n";
}

std::string TopicTable(const std::vector<CaseRecord>& records) {
  std::map<std::string, VerdictCounts> topics;
  for (const CaseRecord& record : records) {
    ++topics[TopicOf(record.id())][record.result().verdict];
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

std::string DeviationTable(const SuiteResult& suite) {
  std::string rows;
  for (const CaseRecord& record : suite.records) {
    const std::optional<Deviation> entry =
        suite.deviations.FindFor(record.result());
    if (!entry || suite.IsUnexpected(record.id())) continue;
    std::vector<std::string> references = entry->references;
    if (!entry->script.empty()) references.push_back(entry->script);
    rows += fmt::format("| {} | {} | {} | {} | {} |\n", record.id(),
                        VerdictName(record.result().verdict), entry->kind,
                        entry->reason, fmt::join(references, ", "));
  }
  if (rows.empty()) return "";
  return "\n## Known deviations\n\n| case | verdict | kind | reason | "
         "references |\n|---|---|---|---|---|\n" +
         rows;
}

}  // namespace

std::string ToMarkdown(const SuiteResult& suite, const Sources& sources) {
  const UnsupportedGroups groups(suite);
  std::string text = Head(suite, groups) + "\n" + TopicTable(suite.records);
  for (const CaseRecord& record : suite.records) {
    const CaseResult& result = record.result();
    const bool is_explained = suite.IsUnexpected(record.id()) ||
                              (!IsDeviation(result.verdict) && !result.matches);
    if (!is_explained || groups.Contains(record.id())) continue;
    text += "\n```\n" +
            ExplainResult(result, sources,
                          RerunCommand(suite.settings, record.id()),
                          ExplainCommand(suite.settings, record.id())) +
            "```\n";
  }
  return text + DeviationTable(suite);
}

namespace {

void Open(std::optional<AtomicFile>& file, const std::string& path) {
  if (!path.empty()) file.emplace(path);
}

const AtomicFile* OrNull(const std::optional<AtomicFile>& file) {
  return file ? &*file : nullptr;
}

void WriteWhole(AtomicFile& file, const std::string& text) {
  file.Append(text);
  file.Commit();
}

}  // namespace

ReportFiles::ReportFiles(const ReportPaths& paths) {
  Open(json_, paths.json);
  Open(junit_, paths.junit);
  Open(markdown_, paths.markdown);
  Open(deviations_, paths.deviations);
  Open(answers_, paths.answers);
  AtomicFile::CheckDistinct({OrNull(json_), OrNull(junit_), OrNull(markdown_),
                             OrNull(deviations_), OrNull(answers_)});
}

void ReportFiles::Write(const SuiteResult& suite, const Sources& sources) {
  if (json_) WriteWhole(*json_, CompactJson(ToJson(suite, sources)));
  if (junit_) WriteWhole(*junit_, ToJUnit(suite, sources));
  if (markdown_) WriteWhole(*markdown_, ToMarkdown(suite, sources));
}

void ReportFiles::WriteDeviations(const std::string& text) {
  LOCKSTEP_CHECK(deviations_.has_value());
  WriteWhole(*deviations_, text);
}

void ReportFiles::WriteAnswers(const std::string& text) {
  LOCKSTEP_CHECK(answers_.has_value());
  WriteWhole(*answers_, text);
}

}  // namespace lockstep
