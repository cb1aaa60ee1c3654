// Zip archives in memory, by libzip.
//
//   std::string bytes = WriteZip({{"config.json", "{}"}});
//   ZipReader archive(bytes, "model.keras");
//   archive.Read("config.json", /*most_bytes=*/1000);   // "{}"
#ifndef LOCKSTEP_REFERENCE_FILE_FORMATS_ZIP_ARCHIVE_H_
#define LOCKSTEP_REFERENCE_FILE_FORMATS_ZIP_ARCHIVE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/error.h"

struct zip;
struct zip_stat;

namespace lockstep::export_internal {

struct ZipMember {
  std::string name;
  std::string_view bytes;
};

// Members as they are, without compression, dated 1980-01-01: the same members
// give the same bytes. Errors: ResourceExhausted where libzip gets no memory.
std::string WriteZip(const std::vector<ZipMember>& members);

class ZipReader {
 public:
  // REQUIRES: `bytes` live as long as this. Errors: DataLoss, with `origin`,
  // for damaged directories, two members of one name, and members that share
  // bytes; InvalidArgument for a name that leads out of the archive's folder.
  ZipReader(std::string_view bytes, std::string origin);

  bool Contains(const std::string& name) const {
    return members_.contains(name);
  }
  // What it holds. Errors: NotFound for no such member; InvalidArgument where
  // it is said to have more than `most_bytes`, before any memory is taken;
  // Unimplemented where it is encrypted or compressed by other means than
  // deflate; DataLoss where its CRC-32 is another.
  std::string Read(const std::string& name, uint64_t most_bytes) const;

 private:
  void AddMember(uint64_t index);
  struct zip_stat Stat(const std::string& name) const;
  Error CannotOpen(const std::string& name) const;

  std::string origin_;
  std::shared_ptr<zip> archive_;
  std::map<std::string, uint64_t> members_;  // name -> index
};

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_FILE_FORMATS_ZIP_ARCHIVE_H_
