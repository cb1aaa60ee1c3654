#include "image_datasets/image_manifest.h"

namespace lockstep {
namespace {

constexpr char kManifestText[] =
#include "image_datasets/manifest_text.inc"
    ;

}  // namespace

const Manifest& ImageManifest() {
  static const Manifest manifest = ParseManifest(kManifestText);
  return manifest;
}

const ManifestEntry& FindImageDataset(std::string_view name) {
  return FindDataset(ImageManifest(), name);
}

}  // namespace lockstep
