// Reads the bytes of an HDF5 file, with checks of bounds.
#ifndef LOCKSTEP_REFERENCE_FILE_FORMATS_HDF5_BYTES_H_
#define LOCKSTEP_REFERENCE_FILE_FORMATS_HDF5_BYTES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "reference/base/error.h"

namespace lockstep::export_internal {

// HDF5's undefined address.
inline constexpr uint64_t kNoAddress = ~uint64_t{0};

class Hdf5Bytes {
 public:
  // REQUIRES: `bytes` outlive this object. `origin` names the file in errors.
  Hdf5Bytes(std::string_view bytes, std::string origin)
      : bytes_(bytes), origin_(std::move(origin)) {}

  uint64_t size() const { return bytes_.size(); }
  const std::string& origin() const { return origin_; }

  // Errors of these: DataLoss, which names `what`, if it is outside the file.
  std::string_view At(uint64_t offset, uint64_t count,
                      std::string_view what) const {
    if (count > bytes_.size() || offset > bytes_.size() - count) {
      throw DataLoss(
          "[Hdf5] {}: {} at byte {} ({} bytes) is outside the file's "
          "{} bytes",
          origin_, what, offset, count, bytes_.size());
    }
    return bytes_.substr(offset, count);
  }
  // An integer of `width` bytes, at most 8.
  uint64_t Integer(uint64_t offset, int width, std::string_view what) const {
    const std::string_view bytes = At(offset, width, what);
    uint64_t value = 0;
    for (int i = width - 1; i >= 0; --i) {
      value = value << 8 | static_cast<uint8_t>(bytes[i]);
    }
    return value;
  }
  void Expect(uint64_t offset, std::string_view expected,
              std::string_view what) const {
    if (At(offset, expected.size(), what) != expected) {
      throw Damaged(offset, "there is no {}", what);
    }
  }
  // Returns an error about the data at `offset`, for the caller to throw.
  template <typename... Args>
  Error Damaged(uint64_t offset, fmt::format_string<Args...> format,
                Args&&... args) const {
    return DataLoss("[Hdf5] {}: at byte {} {}", origin_, offset,
                    fmt::format(format, std::forward<Args>(args)...));
  }
  template <typename... Args>
  Error NotSupported(uint64_t offset, fmt::format_string<Args...> format,
                     Args&&... args) const {
    return Unimplemented("[Hdf5] {}: at byte {} {}", origin_, offset,
                         fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  std::string_view bytes_;
  std::string origin_;
};

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_FILE_FORMATS_HDF5_BYTES_H_
