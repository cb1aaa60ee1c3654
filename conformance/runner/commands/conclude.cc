#include "conformance/runner/commands/conclude.h"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <vector>

#include "conformance/runner/deviations/update_deviations.h"
#include "conformance/runner/output/unsupported_groups.h"
#include "conformance/runner/text/json_file.h"

namespace lockstep {
namespace {

// Prints the cases that cannot be listed: those with varying results, and those
// with an error of the testee itself. Returns whether there are any.
bool PrintUnlisted(const std::vector<CaseRecord>& records) {
  bool any = false;
  for (const CaseRecord& record : records) {
    if (!record.flicker().empty()) {
      any = true;
      std::cout << "flickers: " << record.id() << ": " << record.flicker()
                << "\n";
    }
    if (record.result().verdict == Verdict::kProtocolError) {
      any = true;
      std::cout << "not listed: " << record.id()
                << ": a protocol error: fix the testee\n";
    }
  }
  return any;
}

}  // namespace

int Conclude(const SuiteResult& suite) {
  std::cout << Summary(suite.records) << "\n";
  std::cout << DescribeStale(suite);
  const UnsupportedGroups groups(suite);
  const std::string grouped = groups.Describe();
  std::cout << grouped;
  if (!grouped.empty()) {
    std::cout
        << "  --verbose explains each of them, --json=FILE has them all\n";
  }
  for (const Unexpected& unexpected : suite.unexpected) {
    if (groups.Contains(unexpected.subject)) continue;
    std::cout << "not as expected: " << unexpected.subject << ": "
              << unexpected.text << "\n";
  }
  if (groups.cases() > 0) {
    std::cout << fmt::format(
        "not as expected: {} unsupported {} not listed; {} lists {}\n",
        groups.cases(), groups.cases() == 1 ? "case is" : "cases are",
        suite.settings.update, groups.cases() == 1 ? "it" : "them");
  }
  if (!suite.complete) {
    std::cout << "interrupted: the results are incomplete\n";
    return kCouldNotRun;
  }
  if (!suite.unexpected.empty()) return kNotAsExpected;
  std::cout << "everything is as expected of " << suite.name << "\n";
  return kAsExpected;
}

int ConcludeUpdate(const SuiteResult& suite, const CaseIds& ids,
                   const std::string& path, ReportFiles& files) {
  if (!suite.complete) {
    std::cout << "interrupted: " << path << " stays as it was\n";
    return kCouldNotRun;
  }
  const Deviations updated =
      UpdateDeviations(suite.deviations, suite.records, ids);
  files.WriteDeviations(CompactJson(updated.ToJson()));
  std::cout << fmt::format(
      "{}\nwrote {} with {} causes, before {}\n", Summary(suite.records),
      std::filesystem::absolute(path).string(), updated.entries.size(),
      suite.deviations.entries.size());
  for (const Deviation& entry : updated.entries) {
    if (!entry.reason.empty()) continue;
    std::cout << fmt::format("write reason and references of {} cases: {}\n",
                             entry.cases.size(), entry.cases.front());
  }
  for (const UnsupportedSteps& steps : updated.unsupported) {
    if (!steps.reference.empty()) continue;
    std::cout << fmt::format(
        "write a reference for the unsupported steps: {}\n",
        fmt::join(steps.steps, ", "));
  }
  return PrintUnlisted(suite.records) ? kNotAsExpected : kAsExpected;
}

}  // namespace lockstep
