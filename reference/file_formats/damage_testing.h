// Damages files in small ways, for tests of readers.
#ifndef LOCKSTEP_REFERENCE_FILE_FORMATS_DAMAGE_TESTING_H_
#define LOCKSTEP_REFERENCE_FILE_FORMATS_DAMAGE_TESTING_H_

#include <gtest/gtest.h>
#include <zip.h>

#include <functional>
#include <string>
#include <string_view>

#include "reference/base/error.h"

namespace lockstep::export_internal {

// Calls `read` with each truncation of `bytes`, and expects DataLoss.
inline void ExpectTruncationsAreDataLoss(
    std::string_view bytes,
    const std::function<void(const std::string&)>& read) {
  for (size_t size = 0; size < bytes.size(); ++size) {
    try {
      read(std::string(bytes.substr(0, size)));
      ADD_FAILURE() << "nothing was thrown for the first " << size << " bytes";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kDataLoss) << size << ": " << error.what();
    }
  }
}

// Calls `read` with each byte of `bytes` changed in three ways. Expects an Error, or
// the same result as for `bytes`. Returns how many bytes could be changed without
// an Error.
template <typename Result>
int CountUnnoticedBytes(const std::string& bytes,
                        const std::function<Result(const std::string&)>& read) {
  const Result expected = read(bytes);
  int unnoticed = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    bool noticed = true;
    for (const char flip : {'\x01', '\x80', '\xff'}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      try {
        EXPECT_TRUE(read(damaged) == expected) << "byte " << i;
        noticed = false;
      } catch (const Error& error) {
        EXPECT_NE(error.code(), Code::kInternal) << error.what();
      }
    }
    unnoticed += noticed ? 0 : 1;
  }
  return unnoticed;
}

// An archive with a compressed member, which WriteZip does not write.
inline std::string DeflatedZip(const char* name, const std::string& member) {
  zip_source_t* target = zip_source_buffer_create(nullptr, 0, 0, nullptr);
  zip_source_keep(target);
  zip_t* archive = zip_open_from_source(target, ZIP_TRUNCATE, nullptr);
  zip_file_add(archive, name,
               zip_source_buffer(archive, member.data(), member.size(), 0), 0);
  EXPECT_EQ(zip_close(archive), 0);
  zip_stat_t stat;
  zip_source_stat(target, &stat);
  std::string bytes(stat.size, '\0');
  zip_source_open(target);
  zip_source_read(target, bytes.data(), bytes.size());
  zip_source_close(target);
  zip_source_free(target);
  return bytes;
}

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_FILE_FORMATS_DAMAGE_TESTING_H_
