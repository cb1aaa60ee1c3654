// Gets a file by URL, going on where an earlier attempt stopped.
//
//   Download("https://server/train-images-idx3-ubyte.gz", "x.gz.part",
//            {.most_bytes = 48 << 20});
#ifndef LOCKSTEP_IMAGE_DATASETS_DOWNLOAD_H_
#define LOCKSTEP_IMAGE_DATASETS_DOWNLOAD_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep {

// A file that grows by what arrives, held by one process at a time.
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

struct DownloadOptions {
  // A server that sends more is cut off.
  int64_t most_bytes = 0;
  // Shown in front of the progress bar.
  std::string label;
  // Give up when nothing comes for so long.
  int stall_seconds = 30;
};

// Appends to `part_path` what it lacks; a server that cannot continue makes it
// start anew. http, https and file URLs; proxies as libcurl takes them from the
// environment. What has arrived stays when it fails. Returns the bytes that
// came in this call.
// Errors: NotFound where the server says so; Unavailable for other answers and
// for a broken connection; DataLoss for too many bytes; ResourceExhausted for a
// full disk; FailedPrecondition while another process downloads this file.
int64_t Download(const std::string& url, const std::string& part_path,
                 const DownloadOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_IMAGE_DATASETS_DOWNLOAD_H_
