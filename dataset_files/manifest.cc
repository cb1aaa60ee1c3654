#include "dataset_files/manifest.h"

#include <fmt/ranges.h>

#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>

#include "reference/base/error.h"
#include "reference/base/json.h"

namespace lockstep {
namespace {

DatasetFile ParseFile(const Json& json) {
  return {json.at("name"), json.at("suffix"), json.at("bytes"),
          json.at("sha256"), json.value("folder", "")};
}

ManifestEntry ParseEntry(const std::string& name, const Json& json) {
  ManifestEntry entry{
      name, json.at("title"), json.at("license"), json.at("urls"), {}};
  for (const Json& file : json.at("files")) {
    entry.files.push_back(ParseFile(file));
  }
  return entry;
}

}  // namespace

Manifest ParseManifest(std::string_view text) {
  const Json json = ParseJson(text, "manifest.json");
  Manifest entries;
  try {
    if (json.at("format") != 1) {
      throw InvalidArgument("[Manifest] format must be 1, got {}",
                            json.at("format").dump());
    }
    for (const auto& [name, entry] : json.at("datasets").items()) {
      entries.push_back(ParseEntry(name, entry));
    }
  } catch (const Json::exception& e) {
    throw InvalidArgument("[Manifest] manifest.json: {}", e.what());
  }
  return entries;
}

const ManifestEntry& FindDataset(const Manifest& manifest,
                                 std::string_view name) {
  std::vector<std::string_view> names;
  for (const ManifestEntry& entry : manifest) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  throw NotFound("[Manifest] there is no dataset '{}'; there are {}", name,
                 fmt::join(names, ", "));
}

namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string DefaultDataFolder() {
  if (const std::string folder = Variable("LOCKSTEP_DATA_DIR");
      !folder.empty()) {
    return folder;
  }
  if (const std::string cache = Variable("XDG_CACHE_HOME"); !cache.empty()) {
    return cache + "/lockstep/datasets";
  }
  if (const std::string home = Variable("HOME"); !home.empty()) {
    return home + "/.cache/lockstep/datasets";
  }
  throw FailedPrecondition(
      "[DataFolder] none of LOCKSTEP_DATA_DIR, XDG_CACHE_HOME and HOME is set");
}

}  // namespace lockstep
