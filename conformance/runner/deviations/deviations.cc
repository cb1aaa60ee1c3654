#include "conformance/runner/deviations/deviations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "conformance/runner/text/name_forms.h"

namespace lockstep {
namespace {

constexpr int kFormat = 3;
constexpr std::array<std::string_view, 3> kKinds = {"defect", "by_design",
                                                    "document_unclear"};
constexpr const char* kConventions = "conformance/conventions.json";

std::string ReadKind(const JsonCursor& cursor) {
  if (std::ranges::find(kKinds, cursor.String()) == kKinds.end()) {
    cursor.Fail(fmt::format("unknown kind '{}', wanted one of: {}",
                            cursor.String(), fmt::join(kKinds, ", ")));
  }
  return cursor.String();
}

std::string ReadCase(const JsonCursor& cursor) {
  if (!IsCasePattern(cursor.String())) {
    cursor.Fail(fmt::format(
        "'{}' is neither <area>/<topic>/<claim> nor such a pattern with *",
        cursor.String()));
  }
  return cursor.String();
}

std::string PlaceOf(const JsonCursor& cursor) {
  return fmt::format("{} at {}", cursor.file(), cursor.path());
}

Deviation ReadEntry(const JsonCursor& cursor) {
  cursor.AllowOnly({"kind", "reason", "references", "script", "cases"});
  const auto script = cursor.Find("script");
  Deviation entry{.kind = ReadKind(cursor["kind"]),
                  .reason = cursor["reason"].String(),
                  .script = script ? script->Text() : "",
                  .place = PlaceOf(cursor)};
  for (const JsonCursor& reference : cursor["references"].Items()) {
    entry.references.push_back(reference.Text());
  }
  for (const JsonCursor& one : cursor["cases"].NonEmptyItems()) {
    entry.cases.push_back(ReadCase(one));
  }
  return entry;
}

UnsupportedSteps ReadUnsupported(const JsonCursor& cursor) {
  cursor.AllowOnly({"steps", "reference"});
  UnsupportedSteps unsupported{.steps = {},
                               .reference = cursor["reference"].String(),
                               .place = PlaceOf(cursor)};
  for (const JsonCursor& step : cursor["steps"].NonEmptyItems()) {
    unsupported.steps.push_back(step.Text());
  }
  return unsupported;
}

bool MatchesAny(const std::vector<std::string>& patterns,
                const std::string& text) {
  return std::ranges::any_of(patterns, [&](const std::string& pattern) {
    return PatternMatches(pattern, text);
  });
}

}  // namespace

bool Deviation::Matches(const std::string& case_id) const {
  return MatchesAny(cases, case_id);
}

bool UnsupportedSteps::Explains(const std::string& step) const {
  return MatchesAny(steps, step);
}

const Deviation* Deviations::Find(const std::string& case_id) const {
  const auto found = std::ranges::find_if(
      entries, [&](const Deviation& entry) { return entry.Matches(case_id); });
  return found == entries.end() ? nullptr : &*found;
}

const UnsupportedSteps* Deviations::FindStep(const std::string& step) const {
  const auto found = std::ranges::find_if(
      unsupported,
      [&](const UnsupportedSteps& steps) { return steps.Explains(step); });
  return found == unsupported.end() ? nullptr : &*found;
}

std::optional<Deviation> Deviations::FindFor(const CaseResult& result) const {
  if (const Deviation* entry = Find(result.conformance_case->id)) return *entry;
  std::optional<Deviation> known;
  for (const Unsupported& unsupported : UnsupportedIn(result)) {
    const UnsupportedSteps* steps = FindStep(unsupported.step);
    if (!steps && !unsupported.step.empty()) return std::nullopt;
    if (known) continue;
    known = {.kind = "unsupported",
             .reason = unsupported.reason,
             .references = {steps ? steps->reference : kConventions},
             .cases = {result.conformance_case->id},
             .place = steps ? steps->place : kConventions};
  }
  return known;
}

Json Deviations::ToJson() const {
  Json list = Json::array();
  for (const Deviation& entry : entries) {
    Json json = {{"kind", entry.kind},
                 {"reason", entry.reason},
                 {"references", entry.references}};
    if (!entry.script.empty()) json["script"] = entry.script;
    json["cases"] = entry.cases;
    list.push_back(std::move(json));
  }
  Json steps = Json::array();
  for (const UnsupportedSteps& one : unsupported) {
    steps.push_back({{"steps", one.steps}, {"reference", one.reference}});
  }
  return {{"format", kFormat},
          {"implementation", implementation},
          {"deviations", list},
          {"unsupported", steps}};
}

std::vector<Unsupported> UnsupportedIn(const CaseResult& result) {
  std::vector<Unsupported> found;
  if (result.verdict != Verdict::kUnsupported) return found;
  for (const RunResult& run : result.runs) {
    const auto* answer = std::get_if<Unsupported>(&run.answer);
    if (!answer) continue;
    const auto is_same = [&](const Unsupported& other) {
      return other.step == answer->step && other.reason == answer->reason;
    };
    if (std::ranges::none_of(found, is_same)) found.push_back(*answer);
  }
  return found;
}

Deviations LoadDeviations(const std::string& path, bool any_name) {
  return ReadDeviations(ReadJsonFile(path), path, any_name);
}

Deviations ReadDeviations(const Json& json, const std::string& path,
                          bool any_name) {
  const JsonCursor root(json, path, "LoadDeviations");
  root.CheckFormat(kFormat);
  root.AllowOnly({"format", "implementation", "deviations", "unsupported"});
  const JsonCursor implementation = root["implementation"];
  const std::string name = std::filesystem::path(path).stem().string();
  if (!any_name && implementation.String() != name) {
    implementation.Fail(fmt::format("wanted the file's name {}, got '{}'", name,
                                    implementation.String()));
  }
  Deviations deviations{.implementation = implementation.String()};
  for (const JsonCursor& entry : root["deviations"].Items()) {
    deviations.entries.push_back(ReadEntry(entry));
  }
  for (const JsonCursor& steps : root["unsupported"].Items()) {
    deviations.unsupported.push_back(ReadUnsupported(steps));
  }
  return deviations;
}

}  // namespace lockstep
