#include "text_datasets/text_manifest.h"

namespace lockstep {
namespace {

constexpr char kManifestText[] =
#include "text_datasets/manifest_text.inc"
    ;

}  // namespace

const Manifest& TextManifest() {
  static const Manifest manifest = ParseManifest(kManifestText);
  return manifest;
}

}  // namespace lockstep
