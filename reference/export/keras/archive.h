// The members of a .keras file.
#ifndef LOCKSTEP_REFERENCE_EXPORT_KERAS_ARCHIVE_H_
#define LOCKSTEP_REFERENCE_EXPORT_KERAS_ARCHIVE_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "reference/file_formats/zip_archive.h"

namespace lockstep::export_internal {

// Whether it begins like a zip archive.
bool IsArchive(std::string_view bytes);

class KerasArchive {
 public:
  // REQUIRES: `bytes` outlive this object. Errors: as ZipReader.
  KerasArchive(std::string_view bytes, const std::string& origin);

  // config.json and model.weights.h5. Errors: NotFound; DataLoss;
  // InvalidArgument if the config declares more than kLargestConfig bytes, or the
  // weights more than MostInflated(size of the file).
  std::string config() const;
  std::string weights() const;
  // The vocabularies, by their names: "assets/layers/string_lookup/
  // vocabulary.txt". Errors: also InvalidArgument if they declare more than
  // MostInflated together.
  std::map<std::string, std::string> assets() const;

  static constexpr uint64_t kLargestConfig = 64 << 20;
  // The largest accepted size of the weights. Keras does not compress them. If
  // another program did, they are a few times larger than the file; a larger ratio
  // indicates a zip bomb.
  static constexpr uint64_t MostInflated(uint64_t file_bytes) {
    return std::max(16 * file_bytes, uint64_t{16} << 20);
  }

  static std::string Pack(
      std::string_view metadata, std::string_view config,
      std::string_view weights,
      const std::map<std::string, std::string>& assets = {});

 private:
  ZipReader zip_;
  uint64_t most_weights_;
};

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_KERAS_ARCHIVE_H_
