#include "reference/export/keras/archive.h"

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

std::string KerasArchive::Pack(std::string_view metadata,
                               std::string_view config,
                               std::string_view weights) {
  return WriteZip(
      {{kMetadata, metadata}, {kConfig, config}, {kWeights, weights}});
}

}  // namespace lockstep::export_internal
