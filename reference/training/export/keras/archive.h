// The three members of a .keras file.
#ifndef LOCKSTEP_REFERENCE_TRAINING_EXPORT_KERAS_ARCHIVE_H_
#define LOCKSTEP_REFERENCE_TRAINING_EXPORT_KERAS_ARCHIVE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "reference/training/export/formats/zip_archive.h"

namespace lockstep::export_internal {

// It begins as a zip archive does.
bool IsArchive(std::string_view bytes);

class KerasArchive {
 public:
  // REQUIRES: `bytes` live as long as this. Errors: as ZipReader.
  KerasArchive(std::string_view bytes, const std::string& origin);

  // config.json and model.weights.h5. Errors: NotFound, DataLoss, and
  // InvalidArgument for one said to be larger than kLargestConfig, or than the
  // file where it is not compressed, and kLargestInflated where it is.
  std::string config() const;
  std::string weights() const;

  static constexpr uint64_t kLargestConfig = 64 << 20;
  // Keras does not compress; who does it by other means has a limit.
  static constexpr uint64_t kLargestInflated = uint64_t{1} << 30;

  static std::string Pack(std::string_view metadata, std::string_view config,
                          std::string_view weights);

 private:
  ZipReader zip_;
  uint64_t most_;
};

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_TRAINING_EXPORT_KERAS_ARCHIVE_H_
