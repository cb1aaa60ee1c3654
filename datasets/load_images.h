// Reads a dataset of the manifest from a folder and checks it.
#ifndef LOCKSTEP_DATASETS_LOAD_IMAGES_H_
#define LOCKSTEP_DATASETS_LOAD_IMAGES_H_

#include <string>

#include "datasets/image_data.h"
#include "datasets/manifest.h"

namespace lockstep {

struct LoadOptions {
  // Folder with one folder a dataset in it; "": DefaultDataFolder().
  std::string data_dir;
  // Without it, damage that keeps the format goes unnoticed.
  bool verify_checksums = true;
};

// Reads the four files, NAME or NAME.gz, in `folder`. Errors: NotFound for a
// missing file, naming the command that fetches it; DataLoss for content that
// has not the published hash, is no IDX, or holds no images with labels.
ImageData LoadImages(const ManifestEntry& entry, const std::string& folder,
                     bool verify_checksums = true);

// The same from the folder that the options say.
ImageData LoadImages(std::string_view dataset, const LoadOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_DATASETS_LOAD_IMAGES_H_
