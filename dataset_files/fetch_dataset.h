// Downloads the files of a dataset to its folder and checks their hashes.
#ifndef LOCKSTEP_DATASET_FILES_FETCH_DATASET_H_
#define LOCKSTEP_DATASET_FILES_FETCH_DATASET_H_

#include <cstdint>
#include <string>

#include "dataset_files/manifest.h"

namespace lockstep {

struct FetchOptions {
  std::string data_dir;  // parent of the dataset's folder
  // Replaces the manifest's URLs: http, https or file, ending in '/'.
  std::string base_url;
  // Attempts per URL if a connection breaks.
  int attempts = 3;
};

struct FetchedFile {
  std::string path;
  int64_t downloaded_bytes = 0;  // 0: a valid file existed already
};

// Ensures a valid file, its name with its suffix, in the dataset's folder: keeps
// an existing one, else downloads it. The old file, if any, stays until the new
// one has been checked. An interrupted download is resumed from `NAME.part`.
// Errors: of the last URL tried, as Download; DataLoss if the content does not
// have the published hash; NotFound for a dataset without URLs.
FetchedFile FetchFile(const ManifestEntry& entry, const DatasetFile& file,
                      const FetchOptions& options);

// Checks the content of the file at `path`, gzip or plain, against the
// published hash. Errors: DataLoss with got and wanted; NotFound.
void VerifyContent(const std::string& path, const DatasetFile& file);

}  // namespace lockstep

#endif  // LOCKSTEP_DATASET_FILES_FETCH_DATASET_H_
