// The files of the image datasets.
#ifndef LOCKSTEP_IMAGE_DATASETS_IMAGE_MANIFEST_H_
#define LOCKSTEP_IMAGE_DATASETS_IMAGE_MANIFEST_H_

#include <string_view>

#include "dataset_files/manifest.h"

namespace lockstep {

// Order of ManifestEntry::files.
enum DatasetPart { kTrainImages, kTrainLabels, kTestImages, kTestLabels };

// manifest.json, as it was compiled in.
const Manifest& ImageManifest();

// Errors: NotFound, with the known names.
const ManifestEntry& FindImageDataset(std::string_view name);

}  // namespace lockstep

#endif  // LOCKSTEP_IMAGE_DATASETS_IMAGE_MANIFEST_H_
