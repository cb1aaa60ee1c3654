// Brings the files of a dataset into its folder, each checked by its hash.
#ifndef LOCKSTEP_IMAGE_DATASETS_FETCH_DATASET_H_
#define LOCKSTEP_IMAGE_DATASETS_FETCH_DATASET_H_

#include <cstdint>
#include <string>

#include "image_datasets/manifest.h"

namespace lockstep {

struct FetchOptions {
  std::string data_dir;  // the dataset's folder is made in it
  // In place of the manifest's URLs: http, https or file, ending in '/'.
  std::string base_url;
  // Attempts for each URL when a connection breaks.
  int attempts = 3;
};

struct FetchedFile {
  std::string path;
  int64_t downloaded_bytes = 0;  // 0: a good file was there already
};

// The good file `NAME.gz` of the dataset in its folder: kept where it is there,
// else downloaded. The old file, if any, stays until the new one has been
// checked. An interrupted download goes on from `NAME.gz.part` next time.
// Errors: of the last URL tried, as Download; DataLoss when the content has not
// the published hash; NotFound for a dataset without URLs.
FetchedFile FetchFile(const ManifestEntry& entry, const DatasetFile& file,
                      const FetchOptions& options);

// Checks that the content of the file at `path`, gzip or plain, is the
// published one. Errors: DataLoss with got and wanted; NotFound.
void VerifyContent(const std::string& path, const DatasetFile& file);

}  // namespace lockstep

#endif  // LOCKSTEP_IMAGE_DATASETS_FETCH_DATASET_H_
