#include "conformance/runner/commands/known_results.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "conformance/runner/compact_json.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> JsonFilesIn(const std::string& folder) {
  std::vector<std::string> files;
  if (!fs::is_directory(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") {
      files.push_back(entry.path().string());
    }
  }
  return files;
}

void ReadResult(const std::string& path, const std::string& case_id,
                KnownResult& known) {
  const Json json = ReadJsonFile(path);
  const JsonCursor root(json, path, "ReadResults");
  for (const JsonCursor& result : root["cases"].Items()) {
    if (result["id"].String() != case_id) continue;
    known.verdict = result["verdict"].String();
    known.version =
        fmt::format("{}, {}", root["testee"]["implementation"].String(),
                    root["started"].String().substr(0, 10));
  }
}

std::string Line(std::string_view label, const std::string& text) {
  if (text.empty()) return "";
  return fmt::format("    {:<10}{}\n", label, text);
}

}  // namespace

std::vector<KnownResult> FindKnownResults(const std::string& case_id,
                                          const std::string& deviations_folder,
                                          const std::string& results_folder) {
  std::map<std::string, KnownResult> known;
  for (const std::string& path : JsonFilesIn(deviations_folder)) {
    const Deviations deviations = LoadDeviations(path);
    KnownResult& result = known[deviations.implementation];
    const Deviation* entry = deviations.Find(case_id);
    if (entry) result.deviation = *entry;
  }
  for (const std::string& path : JsonFilesIn(results_folder)) {
    ReadResult(path, case_id, known[fs::path(path).stem().string()]);
  }
  std::vector<KnownResult> results;
  for (auto& [name, result] : known) {
    result.implementation = name;
    results.push_back(std::move(result));
  }
  return results;
}

std::string DescribeKnownResult(const KnownResult& known) {
  std::string text = fmt::format("  {}: ", known.implementation);
  if (known.verdict) {
    text += fmt::format("{} ({})\n", *known.verdict, known.version);
  } else if (known.deviation) {
    text += fmt::format("{}\n", VerdictName(known.deviation->verdict));
  } else {
    return text + "no deviation is known\n";
  }
  if (!known.deviation) return text;
  const Deviation& entry = *known.deviation;
  return text + Line("observed", OneLineJson(entry.observed)) +
         Line("kind", entry.kind) + Line("reason", entry.reason) +
         Line("reference", entry.reference) + Line("versions", entry.versions) +
         Line("shown by", entry.repro);
}

}  // namespace lockstep
