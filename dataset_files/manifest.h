// The files of datasets that can be downloaded: names, sizes, hashes, URLs. A
// folder of datasets has a manifest.json, which is compiled in, so that programs
// need no extra file (manifest.bzl).
//
//   const Manifest manifest = ParseManifest(text);
//   FindDataset(manifest, "mnist").files[0].name;   // "train-images-idx3-ubyte"
#ifndef LOCKSTEP_DATASET_FILES_MANIFEST_H_
#define LOCKSTEP_DATASET_FILES_MANIFEST_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct DatasetFile {
  std::string name;
  // What follows the name where the file is stored: ".gz" for content that is
  // compressed there.
  std::string suffix;
  int64_t bytes = 0;  // of the uncompressed content, as is the hash
  std::string sha256;
  // Between a URL of the dataset and the name: "pool/main/d/dpkg/".
  std::string folder;
};

struct ManifestEntry {
  std::string name;     // "fashion_mnist": also of its folder
  std::string title;    // "Fashion-MNIST"
  std::string license;  // "MIT"
  std::vector<std::string> urls;
  std::vector<DatasetFile> files;
};

using Manifest = std::vector<ManifestEntry>;

// Errors: InvalidArgument for text that is not a manifest.
Manifest ParseManifest(std::string_view text);

// Errors: NotFound, with the known names.
const ManifestEntry& FindDataset(const Manifest& manifest,
                                 std::string_view name);

// The folder of downloaded datasets: $LOCKSTEP_DATA_DIR, else
// $XDG_CACHE_HOME/lockstep/datasets, else ~/.cache/lockstep/datasets.
//
// Errors: FailedPrecondition if none of the variables is set.
std::string DefaultDataFolder();

}  // namespace lockstep

#endif  // LOCKSTEP_DATASET_FILES_MANIFEST_H_
