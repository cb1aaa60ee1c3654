// Reads a dataset of the manifest from a folder and checks it.
#ifndef LOCKSTEP_IMAGE_DATASETS_LOAD_IMAGES_H_
#define LOCKSTEP_IMAGE_DATASETS_LOAD_IMAGES_H_

#include <array>
#include <string>
#include <string_view>

#include "image_datasets/image_data.h"
#include "image_datasets/image_manifest.h"

namespace lockstep {

struct LoadOptions {
  // Parent folder of the datasets' folders; "": DefaultDataFolder().
  std::string data_dir;
  // Without it, damage that keeps the format is not detected.
  bool verify_checksums = true;
};

// Reads the four files, NAME or NAME.gz, in `folder`. Errors: NotFound for a
// missing file, naming the command that fetches it; DataLoss for content that
// does not have the published hash, is not IDX, or is not images with labels.
ImageData LoadImages(const ManifestEntry& entry, const std::string& folder,
                     bool verify_checksums = true);

// The same from the folder of the options.
ImageData LoadImages(std::string_view dataset, const LoadOptions& options);

// Fashion-MNIST (Xiao, Rasul, Vollgraf, 2017): 60,000 + 10,000 images of
// clothing, 28 x 28, in ten classes.
inline constexpr std::array<std::string_view, 10> kFashionMnistClasses = {
    "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
    "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};

// Errors: as LoadImages.
ImageData LoadFashionMnist(const LoadOptions& options = {});

// MNIST (LeCun, Cortes, Burges): 60,000 + 10,000 images of digits, 28 x 28.
//
// Errors: as LoadImages.
ImageData LoadMnist(const LoadOptions& options = {});

}  // namespace lockstep

#endif  // LOCKSTEP_IMAGE_DATASETS_LOAD_IMAGES_H_
