#include "image_datasets/load_images.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "image_datasets/idx.h"
#include "image_datasets/image_manifest.h"
#include "reference/base/encoding/sha256.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

constexpr int64_t kClasses = 10;

std::string FindFile(const ManifestEntry& entry, const std::string& folder,
                     const DatasetFile& file) {
  const std::string path = folder + "/" + file.name;
  for (const std::string& candidate : {path + ".gz", path}) {
    if (std::filesystem::exists(candidate)) return candidate;
  }
  throw NotFound(
      "[LoadImages] {} is missing: {}.gz does not exist; "
      "`./bazelw run //image_datasets:fetch -- {}` gets it",
      entry.title, path, entry.name);
}

Tensor ReadVerified(const std::string& path, const DatasetFile& file,
                    bool verify) {
  Sha256 hash;
  const Tensor tensor = ReadIdxFile(path, verify ? &hash : nullptr);
  if (!verify) return tensor;
  const std::string got = hash.HexDigest();
  if (got != file.sha256) {
    throw DataLoss("[LoadImages] {}: SHA-256 of the content is {}, wanted {}",
                   path, got, file.sha256);
  }
  return tensor;
}

// Checks what training relies on, whether or not hashes were compared.
void CheckExamples(const std::string& path, const Tensor& images,
                   const Tensor& labels) {
  if (images.dtype() != DType::kUInt8 || images.rank() != 3 ||
      labels.dtype() != DType::kUInt8 || labels.rank() != 1 ||
      images.dim(0) != labels.dim(0)) {
    throw DataLoss(
        "[LoadImages] {}: images are {} and labels {}, wanted uint8 (count, "
        "height, width) and (count,)",
        path, Describe(images), Describe(labels));
  }
  const auto bad = std::ranges::find_if(
      labels.span<uint8_t>(), [](uint8_t label) { return label >= kClasses; });
  if (bad != labels.span<uint8_t>().end()) {
    throw DataLoss("[LoadImages] {}: there is a label {}, wanted 0 to {}", path,
                   *bad, kClasses - 1);
  }
}

ImageExamples LoadExamples(const ManifestEntry& entry,
                           const std::string& folder, DatasetPart images_part,
                           DatasetPart labels_part, bool verify) {
  const DatasetFile& images_file = entry.files.at(images_part);
  const std::string images_path = FindFile(entry, folder, images_file);
  const Tensor images = ReadVerified(images_path, images_file, verify);
  const DatasetFile& labels_file = entry.files.at(labels_part);
  const Tensor labels =
      ReadVerified(FindFile(entry, folder, labels_file), labels_file, verify);
  CheckExamples(images_path, images, labels);
  return {images.Reshape(Shape{images.dim(0), images.dim(1), images.dim(2), 1}),
          labels.Cast(DType::kInt64)};
}

}  // namespace

ImageData LoadImages(const ManifestEntry& entry, const std::string& folder,
                     bool verify_checksums) {
  ImageData data;
  data.classes = kClasses;
  data.train =
      LoadExamples(entry, folder, kTrainImages, kTrainLabels, verify_checksums);
  data.test =
      LoadExamples(entry, folder, kTestImages, kTestLabels, verify_checksums);
  data.description = fmt::format("{} ({} + {} images)", entry.title,
                                 data.train.size(), data.test.size());
  return data;
}

ImageData LoadImages(std::string_view dataset, const LoadOptions& options) {
  const ManifestEntry& entry = FindImageDataset(dataset);
  const std::string folder =
      options.data_dir.empty() ? DefaultDataFolder() : options.data_dir;
  return LoadImages(entry, folder + "/" + entry.name, options.verify_checksums);
}

ImageData LoadFashionMnist(const LoadOptions& options) {
  return LoadImages("fashion_mnist", options);
}

ImageData LoadMnist(const LoadOptions& options) {
  return LoadImages("mnist", options);
}

}  // namespace lockstep
