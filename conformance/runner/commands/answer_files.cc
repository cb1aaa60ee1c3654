#include "conformance/runner/commands/answer_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <regex>

#include "conformance/runner/answers/judge_answers.h"
#include "conformance/runner/commands/program_output.h"
#include "reference/base/json.h"

namespace lockstep {
namespace {

constexpr const char* kProvenanceProgram =
    "conformance.answers.provenance_command";

// {3, 15, 1} of "3.15.1.json".
std::vector<int> NumbersIn(const std::string& version) {
  static const std::regex kNumber("[0-9]{1,9}");
  std::vector<int> numbers;
  for (std::sregex_iterator at(version.begin(), version.end(), kNumber), end;
       at != end; ++at) {
    numbers.push_back(std::stoi(at->str()));
  }
  return numbers;
}

}  // namespace

std::string NewestAnswers(const std::string& folder,
                          const std::string& testee) {
  namespace fs = std::filesystem;
  std::error_code missing;
  std::string newest;
  for (const auto& entry :
       fs::directory_iterator(fs::path(folder) / testee, missing)) {
    if (entry.path().extension() != ".json") continue;
    const std::string path = entry.path().string();
    if (newest.empty() || NumbersIn(entry.path().filename()) >
                              NumbersIn(fs::path(newest).filename())) {
      newest = path;
    }
  }
  return newest;
}

std::string VersionIn(const std::string& implementation) {
  static const std::regex kVersion("[0-9]+([.][0-9A-Za-z]+)+");
  std::smatch found;
  return std::regex_search(implementation, found, kVersion) ? found.str()
                                                            : "unversioned";
}

Provenance ProvenanceNow(const std::string& testee) {
  const Json json = ParseJson(
      OutputOf(fmt::format("python3 -m {} '{}'", kProvenanceProgram, testee),
               "Provenance"),
      kProvenanceProgram);
  return ReadProvenance(JsonCursor(json, kProvenanceProgram, "Provenance"));
}

std::vector<const Case*> StaleCases(const std::vector<const Case*>& cases,
                                    const AnswerStore& store,
                                    const Dialect& dialect,
                                    const Provenance& now) {
  const JudgedAnswers judged = JudgeAnswers(cases, store, dialect, now);
  std::vector<const Case*> stale;
  std::ranges::copy_if(cases, std::back_inserter(stale), [&](const Case* one) {
    return judged.not_answered.contains(one->id) ||
           judged.outdated.contains(one->id);
  });
  return stale;
}

RecordedResults RecordedIn(const std::string& path,
                           const std::vector<const Case*>& cases,
                           const TesteeDeclaration& declaration,
                           const Dialect& dialect) {
  const AnswerStore store = LoadAnswersOrNone(path);
  RecordedResults recorded;
  if (store.declaration.implementation != declaration.implementation) {
    return recorded;
  }
  for (CaseResult& result : JudgeAnswers(cases, store, dialect).results) {
    const std::string id = result.conformance_case->id;
    recorded.emplace(id, std::move(result));
  }
  return recorded;
}

AnswerStore LoadAnswersOrNone(const std::string& path) {
  if (!std::filesystem::exists(path)) return {};
  return LoadAnswers(path);
}

}  // namespace lockstep
