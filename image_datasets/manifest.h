// The datasets' files: names, sizes, hashes, URLs and folders.
// manifest.json is compiled in, so that programs need no extra file.
//
//   FindDataset("fashion_mnist").files[0].name;   // "train-images-idx3-ubyte"
#ifndef LOCKSTEP_IMAGE_DATASETS_MANIFEST_H_
#define LOCKSTEP_IMAGE_DATASETS_MANIFEST_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct DatasetFile {
  std::string name;   // without ".gz"
  int64_t bytes = 0;  // of the uncompressed content, as is the hash
  std::string sha256;
};

// Order of ManifestEntry::files.
enum DatasetPart { kTrainImages, kTrainLabels, kTestImages, kTestLabels };

struct ManifestEntry {
  std::string name;   // "fashion_mnist": also of its folder
  std::string title;  // "Fashion-MNIST"
  std::vector<std::string> urls;
  std::array<DatasetFile, 4> files;
};

// Errors: InvalidArgument for text that is not a manifest.
std::vector<ManifestEntry> ParseManifest(std::string_view text);

// The compiled-in manifest.
const std::vector<ManifestEntry>& Manifest();

// Errors: NotFound, with the known names.
const ManifestEntry& FindDataset(std::string_view name);

// The folder of downloaded datasets: $LOCKSTEP_DATA_DIR, else
// $XDG_CACHE_HOME/lockstep/datasets, else ~/.cache/lockstep/datasets.
//
// Errors: FailedPrecondition if none of the variables is set.
std::string DefaultDataFolder();

}  // namespace lockstep

#endif  // LOCKSTEP_IMAGE_DATASETS_MANIFEST_H_
