// What the datasets' files are: names, sizes, hashes, where to get them and
// where they lie.
// manifest.json is compiled in, so a program carries it wherever it goes.
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
  std::string name;   // "fashion_mnist": also its folder's
  std::string title;  // "Fashion-MNIST"
  std::vector<std::string> urls;
  std::array<DatasetFile, 4> files;
};

// Errors: InvalidArgument for text that is no manifest.
std::vector<ManifestEntry> ParseManifest(std::string_view text);

// The manifest that was compiled in.
const std::vector<ManifestEntry>& Manifest();

// Errors: NotFound, with the names there are.
const ManifestEntry& FindDataset(std::string_view name);

// Where downloaded datasets lie: $LOCKSTEP_DATA_DIR, else
// $XDG_CACHE_HOME/lockstep/datasets, else ~/.cache/lockstep/datasets.
//
// Errors: FailedPrecondition when no variable says where.
std::string DefaultDataFolder();

}  // namespace lockstep

#endif  // LOCKSTEP_IMAGE_DATASETS_MANIFEST_H_
