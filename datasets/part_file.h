// A file that grows by what arrives, held by one process at a time.
#ifndef LOCKSTEP_DATASETS_PART_FILE_H_
#define LOCKSTEP_DATASETS_PART_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep {

class PartFile {
 public:
  // Opens or makes it. Errors: FailedPrecondition while another process has it
  // open; Unavailable with the system's word.
  explicit PartFile(const std::string& path);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  int64_t size() const { return size_; }

  // Errors: ResourceExhausted for a full disk, else Unavailable.
  void Append(std::string_view bytes);
  void Clear();

 private:
  std::string path_;
  int descriptor_ = -1;
  int64_t size_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_DATASETS_PART_FILE_H_
