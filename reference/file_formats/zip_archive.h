// Reads and writes zip archives in memory, with libzip.
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

// Writes an archive without compression, dated 1980-01-01, so that the same members
// give the same bytes. Errors: ResourceExhausted if libzip cannot allocate memory.
std::string WriteZip(const std::vector<ZipMember>& members);

class ZipReader {
 public:
  // REQUIRES: `bytes` outlive this object. Errors: DataLoss, with `origin`, if the
  // directory is damaged, two members have the same name, or members share bytes;
  // InvalidArgument if a member's path leaves the archive's folder.
  ZipReader(std::string_view bytes, std::string origin);

  bool Contains(const std::string& name) const {
    return members_.contains(name);
  }
  // In bytewise order.
  std::vector<std::string> names() const;
  // Returns the member's content. Errors: NotFound if there is no such member;
  // InvalidArgument if it declares more than `most_bytes`, before it allocates
  // memory; Unimplemented if it is encrypted or compressed by a method other than
  // deflate; DataLoss if its CRC-32 differs.
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
