#include "conformance/runner/output/unsupported_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "conformance/runner/deviations/deviations.h"
#include "conformance/runner/text/readable_text.h"

namespace lockstep {

bool IsOnlyUnsupported(const CaseResult& result,
                       const std::vector<Unexpected>& problems) {
  return result.verdict == Verdict::kUnsupported && problems.size() == 1 &&
         problems[0].problem == Problem::kNotListed;
}

UnsupportedGroups::UnsupportedGroups(const SuiteResult& suite) {
  for (const CaseRecord& record : suite.records) {
    std::vector<Unexpected> problems;
    std::ranges::copy_if(suite.unexpected, std::back_inserter(problems),
                         [&](const Unexpected& unexpected) {
                           return unexpected.subject == record.id();
                         });
    if (!IsOnlyUnsupported(record.result(), problems)) continue;
    case_ids_.insert(record.id());
    for (const Unsupported& unsupported : UnsupportedIn(record.result())) {
      Add(unsupported.step.empty()
              ? unsupported.reason
              : unsupported.step + ": " + unsupported.reason,
          record.id());
    }
  }
  std::ranges::stable_sort(groups_, std::greater(), [](const Group& group) {
    return group.case_ids.size();
  });
}

void UnsupportedGroups::Add(const std::string& name,
                            const std::string& case_id) {
  const auto found = std::ranges::find(groups_, name, &Group::name);
  if (found == groups_.end()) {
    groups_.push_back({name, {case_id}});
  } else {
    found->case_ids.push_back(case_id);
  }
}

std::string UnsupportedGroups::Describe() const {
  constexpr size_t kExamples = 3;
  if (groups_.empty()) return "";
  std::string text =
      fmt::format("unsupported, and not listed: {} case{}, by step\n",
                  case_ids_.size(), case_ids_.size() == 1 ? "" : "s");
  for (const Group& group : groups_) {
    const std::span examples(group.case_ids.data(),
                             std::min(group.case_ids.size(), kExamples));
    text += fmt::format("{:>5}  {}\n       {}{}\n", group.case_ids.size(),
                        ReadableLine(group.name), fmt::join(examples, ", "),
                        examples.size() < group.case_ids.size() ? ", ..." : "");
  }
  return text;
}

}  // namespace lockstep
