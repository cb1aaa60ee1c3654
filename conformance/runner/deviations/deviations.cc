#include "conformance/runner/deviations/deviations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "conformance/runner/text/name_forms.h"

namespace lockstep {
namespace {

constexpr int kFormat = 1;
constexpr std::array<std::string_view, 4> kKinds = {
    "defect", "by_design", "unsupported", "document_unclear"};

Verdict ReadVerdict(const JsonCursor& cursor) {
  const auto found = std::ranges::find(kVerdicts, cursor.String(), VerdictName);
  if (found == kVerdicts.end() || !MayBeListed(*found)) {
    cursor.Fail(fmt::format("unknown verdict '{}' of a case that differs",
                            cursor.String()));
  }
  if (*found == Verdict::kProtocolError) {
    cursor.Fail(
        "a protocol error is the testee's mistake, none of the "
        "implementation: mend the testee");
  }
  return *found;
}

std::string ReadKind(const JsonCursor& cursor) {
  if (std::ranges::find(kKinds, cursor.String()) == kKinds.end()) {
    cursor.Fail(fmt::format("unknown kind '{}', wanted one of: {}",
                            cursor.String(), fmt::join(kKinds, ", ")));
  }
  return cursor.String();
}

std::string ReadId(const JsonCursor& cursor) {
  if (!IsCasePattern(cursor.String())) {
    cursor.Fail(fmt::format(
        "'{}' is neither <area>/<topic>/<claim> nor a pattern of it with *",
        cursor.String()));
  }
  return cursor.String();
}

Deviation ReadEntry(const JsonCursor& cursor) {
  cursor.AllowOnly({"id", "verdict", "kind", "observed", "reason", "reference",
                    "versions", "repro"});
  cursor["observed"].CheckObject();
  const auto repro = cursor.Find("repro");
  return {.id = ReadId(cursor["id"]),
          .verdict = ReadVerdict(cursor["verdict"]),
          .kind = ReadKind(cursor["kind"]),
          .observed = cursor["observed"].json(),
          .reason = cursor["reason"].String(),
          .reference = cursor["reference"].String(),
          .versions = cursor["versions"].String(),
          .repro = repro ? repro->Text() : "",
          .place = fmt::format("{} at {}", cursor.file(), cursor.path())};
}

}  // namespace

bool Deviation::Matches(const std::string& case_id) const {
  return PatternMatches(id, case_id);
}

const Deviation* Deviations::Find(const std::string& case_id) const {
  const auto found = std::ranges::find_if(
      entries, [&](const Deviation& entry) { return entry.Matches(case_id); });
  return found == entries.end() ? nullptr : &*found;
}

std::optional<Deviation> Deviations::FindFor(const CaseResult& result) const {
  if (const Deviation* entry = Find(result.conformance_case->id)) return *entry;
  const Lack* lack = FindLack(lacks, result);
  if (!lack) return std::nullopt;
  return Deviation{.id = result.conformance_case->id,
                   .verdict = Verdict::kUnsupported,
                   .kind = "unsupported",
                   .reason = lack->reason,
                   .reference = lack->reference,
                   .versions = lack->versions,
                   .place = lack->place};
}

Json Deviations::ToJson() const {
  Json list = Json::array();
  for (const Deviation& entry : entries) {
    Json json = {{"id", entry.id},
                 {"verdict", VerdictName(entry.verdict)},
                 {"kind", entry.kind},
                 {"observed", entry.observed},
                 {"reason", entry.reason},
                 {"reference", entry.reference},
                 {"versions", entry.versions}};
    if (!entry.repro.empty()) json["repro"] = entry.repro;
    list.push_back(std::move(json));
  }
  Json json = {{"format", kFormat},
               {"implementation", implementation},
               {"entries", list}};
  for (const Lack& lack : lacks)
    json["lacks"].push_back(lockstep::ToJson(lack));
  return json;
}

Deviations LoadDeviations(const std::string& path) {
  return ReadDeviations(ReadJsonFile(path), path);
}

Deviations ReadDeviations(const Json& json, const std::string& path) {
  const JsonCursor root(json, path, "LoadDeviations");
  root.AllowOnly({"format", "implementation", "entries", "lacks"});
  root.CheckFormat(kFormat);
  const JsonCursor implementation = root["implementation"];
  const std::string name = std::filesystem::path(path).stem().string();
  if (implementation.String() != name) {
    implementation.Fail(fmt::format("wanted the file's name {}, got '{}'", name,
                                    implementation.String()));
  }
  Deviations deviations{.implementation = name};
  for (const JsonCursor& entry : root["entries"].Items()) {
    deviations.entries.push_back(ReadEntry(entry));
  }
  if (const auto lacks = root.Find("lacks")) {
    for (const JsonCursor& lack : lacks->Items()) {
      deviations.lacks.push_back(ReadLack(lack));
    }
  }
  return deviations;
}

}  // namespace lockstep
