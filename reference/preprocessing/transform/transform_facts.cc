#include "reference/preprocessing/transform/transform_facts.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "reference/base/atomic_file.h"
#include "reference/base/encoding/sha256.h"
#include "reference/base/files/folder.h"
#include "reference/base/json.h"
#include "reference/preprocessing/words/vocabulary/mapped_file.h"

namespace lockstep::preprocessing_internal {
namespace {

constexpr const char* kFormat = "lockstep transform";
constexpr int64_t kVersion = 1;

std::string JsonPath(const std::string& folder) {
  return folder + "/transform.json";
}

std::string HashOf(std::string_view bytes) {
  Sha256 hash;
  hash.Update(bytes);
  return hash.HexDigest();
}

void WriteAtomically(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.Append(bytes);
  file.Commit();
}

Json WriteVocabulary(const ColumnFacts& facts, size_t number,
                     const std::string& folder) {
  std::string lines;
  for (const std::string& word : facts.words) lines += word + "\n";
  const std::string hash = HashOf(lines);
  const std::string name =
      fmt::format("vocabulary-{}-{}.txt", number, hash.substr(0, 8));
  WriteAtomically(folder + "/" + name, lines);
  return {{"file", name}, {"words", facts.words.size()}, {"sha256", hash}};
}

Json ToJson(const ColumnFacts& facts, size_t number,
            const std::string& folder) {
  const Column& column = facts.column;
  Json json = {{"input", column.input},
               {"output", column.output},
               {"transform", TransformKindName(column.kind)}};
  switch (column.kind) {
    case TransformKind::kZScore:
      json.update({{"count", facts.count},
                   {"scalar", facts.is_scalar},
                   {"mean", facts.mean},
                   {"variance", facts.variance}});
      break;
    case TransformKind::kBins:
      json["boundaries"] = facts.boundaries;
      break;
    case TransformKind::kWordIds:
      json["num_oov_indices"] = column.num_oov_indices;
      json["vocabulary"] = WriteVocabulary(facts, number, folder);
      break;
  }
  return json;
}

// REQUIRES: Json's own errors are caught.
ColumnFacts FromJson(const Json& json, const std::string& folder) {
  ColumnFacts facts{.column = {.kind = ParseTransformKind(
                                   json.at("transform").get<std::string>()),
                               .input = json.at("input").get<std::string>(),
                               .output = json.at("output").get<std::string>()}};
  switch (facts.column.kind) {
    case TransformKind::kZScore:
      facts.count = json.at("count").get<int64_t>();
      facts.is_scalar = json.at("scalar").get<bool>();
      facts.mean = json.at("mean").get<std::vector<float>>();
      facts.variance = json.at("variance").get<std::vector<float>>();
      break;
    case TransformKind::kBins:
      facts.boundaries = json.at("boundaries").get<std::vector<float>>();
      break;
    case TransformKind::kWordIds: {
      facts.column.num_oov_indices = json.at("num_oov_indices").get<int64_t>();
      const auto name = json.at("vocabulary").at("file").get<std::string>();
      // Names no file outside the folder.
      if (name.find('/') != name.npos) {
        throw InvalidArgument("[Transform] '{}' is no file's name", name);
      }
      facts.vocabulary_file = folder + "/" + name;
      break;
    }
  }
  return facts;
}

void CheckMoments(const ColumnFacts& facts) {
  const auto finite = [](float x) { return std::isfinite(x); };
  if (!facts.mean.empty() && facts.mean.size() == facts.variance.size() &&
      (!facts.is_scalar || facts.mean.size() == 1) &&
      std::ranges::all_of(facts.mean, finite) &&
      std::ranges::all_of(facts.variance, finite)) {
    return;
  }
  throw InvalidArgument(
      "[Transform] column '{}' needs a finite mean and variance for each index",
      facts.column.output);
}

void CheckVocabulary(const std::string& path, const std::string& hash) {
  try {
    const words_internal::MappedFile file(path);
    if (HashOf(file.bytes()) == hash) return;
  } catch (const Error& error) {
    if (error.code() != Code::kNotFound) throw;
    throw DataLoss("[Transform] the folder is incomplete: {} is missing", path);
  }
  throw DataLoss(
      "[Transform] {} is not the file that the analysis wrote; analyze the "
      "data again",
      path);
}

std::vector<ColumnFacts> Parse(const Json& json, const std::string& folder) {
  std::vector<ColumnFacts> all;
  Recipe recipe;
  for (const Json& column : json.at("columns")) {
    const ColumnFacts facts = FromJson(column, folder);
    if (facts.column.kind == TransformKind::kZScore) CheckMoments(facts);
    if (facts.column.kind == TransformKind::kWordIds) {
      CheckVocabulary(facts.vocabulary_file,
                      column.at("vocabulary").at("sha256").get<std::string>());
    }
    all.push_back(facts);
    recipe.push_back(facts.column);
  }
  CheckRecipe(recipe);
  return all;
}

void CheckVersion(const Json& json, const std::string& path) {
  if (json.at("format") != kFormat) {
    throw InvalidArgument("[Transform] it has the format {}",
                          json.at("format").dump());
  }
  const int64_t version = json.at("version").get<int64_t>();
  if (version == kVersion) return;
  throw Unimplemented(
      "[Transform] {} has version {}, and this program reads version {}; "
      "analyze the data again",
      path, version, kVersion);
}

}  // namespace

void WriteFacts(const std::vector<ColumnFacts>& facts,
                const std::string& folder) {
  MakeFolder(folder);
  Json columns = Json::array();
  for (size_t i = 0; i < facts.size(); ++i) {
    columns.push_back(ToJson(facts[i], i, folder));
  }
  const Json json = {
      {"format", kFormat}, {"version", kVersion}, {"columns", columns}};
  WriteAtomically(JsonPath(folder), json.dump(2) + "\n");
}

std::vector<ColumnFacts> ReadFacts(const std::string& folder) {
  const std::string path = JsonPath(folder);
  const auto damaged = [&](const char* what) {
    return DataLoss("[Transform] {} is damaged: {}; analyze the data again",
                    path, what);
  };
  try {
    const Json json = ReadJsonFile(path);
    CheckVersion(json, path);
    return Parse(json, folder);
  } catch (const Json::exception& error) {
    throw damaged(error.what());
  } catch (const Error& error) {
    if (error.code() != Code::kInvalidArgument) throw;
    throw damaged(error.what());
  }
}

}  // namespace lockstep::preprocessing_internal
