// Downloads a file by URL, resuming an earlier attempt.
//
//   Download("https://server/train-images-idx3-ubyte.gz", "x.gz.part",
//            {.most_bytes = 48 << 20});
#ifndef LOCKSTEP_DATASET_FILES_DOWNLOAD_H_
#define LOCKSTEP_DATASET_FILES_DOWNLOAD_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep {

// A partially downloaded file, locked by one process at a time.
class PartFile {
 public:
  // Opens or creates it. Errors: FailedPrecondition while another process has
  // it open; Unavailable with the system's error.
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

struct DownloadOptions {
  // The download fails if the server sends more.
  int64_t most_bytes = 0;
  // Label of the progress bar.
  std::string label;
  // Fails if nothing arrives for this long.
  int stall_seconds = 30;
};

// Appends the missing bytes to `part_path`, or starts again if the server
// cannot continue. Supports http, https and file URLs, and proxies from the
// environment as libcurl does. After an error the bytes so far stay. Returns
// the bytes received in this call.
// Errors: NotFound if the server says so; Unavailable for other responses and
// for a broken connection; DataLoss for too many bytes; ResourceExhausted for a
// full disk; FailedPrecondition while another process downloads this file.
int64_t Download(const std::string& url, const std::string& part_path,
                 const DownloadOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_DATASET_FILES_DOWNLOAD_H_
