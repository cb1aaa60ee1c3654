#include "reference/export/keras/archive.h"

#include <utility>
#include <vector>

namespace lockstep::export_internal {
namespace {

constexpr char kMetadata[] = "metadata.json";
constexpr char kConfig[] = "config.json";
constexpr char kWeights[] = "model.weights.h5";

}  // namespace

bool IsArchive(std::string_view bytes) { return bytes.starts_with("PK"); }

KerasArchive::KerasArchive(std::string_view bytes, const std::string& origin)
    : zip_(bytes, origin), most_weights_(MostInflated(bytes.size())) {}

std::string KerasArchive::config() const {
  return zip_.Read(kConfig, kLargestConfig);
}

std::string KerasArchive::weights() const {
  return zip_.Read(kWeights, most_weights_);
}

std::map<std::string, std::string> KerasArchive::assets() const {
  std::map<std::string, std::string> assets;
  uint64_t left = most_weights_;
  for (const std::string& name : zip_.names()) {
    if (!name.starts_with("assets/") || !name.ends_with("/vocabulary.txt")) {
      continue;
    }
    std::string bytes = zip_.Read(name, left);
    left -= bytes.size();
    assets.emplace(name, std::move(bytes));
  }
  return assets;
}

std::string KerasArchive::Pack(
    std::string_view metadata, std::string_view config,
    std::string_view weights,
    const std::map<std::string, std::string>& assets) {
  std::vector<ZipMember> members = {
      {kMetadata, metadata}, {kConfig, config}, {kWeights, weights}};
  for (const auto& [name, bytes] : assets) members.push_back({name, bytes});
  return WriteZip(members);
}

}  // namespace lockstep::export_internal
