#include "reference/tensor_bundle/bundle_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <string_view>

#include "reference/base/error.h"
#include "reference/base/files/folder.h"

namespace lockstep::tensor_bundle_internal {
namespace {

// A regular file. Others are refused, because reading them could block forever.
class OpenFile {
 public:
  explicit OpenFile(const std::string& file)
      : file_(file),
        // O_NONBLOCK: opening a FIFO that has no writer must not block.
        descriptor_(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (descriptor_ < 0)
      throw SystemError(errno, "[TensorBundle] cannot open {}", file);
    try {
      Examine();
    } catch (...) {
      close(descriptor_);
      throw;
    }
  }
  ~OpenFile() { close(descriptor_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int64_t size() const { return size_; }

  void Read(int64_t offset, char* out, size_t size) const {
    while (size > 0) {
      const ssize_t got = pread(descriptor_, out, size, offset);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0)
        throw SystemError(errno, "[TensorBundle] cannot read {}", file_);
      if (got == 0) {
        throw DataLoss("[TensorBundle] {} ends at {}, wanted {} bytes more",
                       file_, offset, size);
      }
      out += got;
      offset += got;
      size -= static_cast<size_t>(got);
    }
  }

 private:
  void Examine() {
    struct stat status;
    if (fstat(descriptor_, &status) != 0)
      throw SystemError(errno, "[TensorBundle] cannot examine {}", file_);
    if (!S_ISREG(status.st_mode)) {
      throw Unavailable(
          "[TensorBundle] cannot read {}: wanted a regular file, got a {}",
          file_, KindOf(status.st_mode));
    }
    size_ = status.st_size;
  }

  static const char* KindOf(mode_t mode) {
    if (S_ISDIR(mode)) return "folder";
    if (S_ISFIFO(mode)) return "FIFO";
    if (S_ISSOCK(mode)) return "socket";
    return "device";
  }

  const std::string& file_;
  int descriptor_;
  int64_t size_ = 0;
};

// Matches ".data-00000-of-00001" with any digits.
bool IsDataEnding(std::string_view ending) {
  constexpr std::string_view kForm = ".data-00000-of-00000";
  return std::ranges::equal(ending, kForm, [](char got, char wanted) {
    return wanted == '0' ? std::isdigit(static_cast<unsigned char>(got)) != 0
                         : got == wanted;
  });
}

}  // namespace

std::string IndexFile(const std::string& prefix) { return prefix + ".index"; }

std::string DataFile(const std::string& prefix, int shard, int num_shards) {
  return fmt::format("{}.data-{:05}-of-{:05}", prefix, shard, num_shards);
}

namespace fs = std::filesystem;

bool FileExists(const std::string& file) {
  std::error_code error;
  const bool exists = fs::exists(file, error);
  if (error)
    throw SystemError(error.value(), "[TensorBundle] cannot look for {}", file);
  return exists;
}

bool BundleExists(const std::string& prefix) {
  return FileExists(IndexFile(prefix));
}

std::vector<std::string> ExistingFiles(const std::string& prefix) {
  std::vector<std::string> files;
  const std::string name = fs::path(prefix).filename();
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(FolderOf(prefix), missing)) {
    const std::string found = entry.path().filename();
    if (!found.starts_with(name)) continue;
    const std::string rest = found.substr(name.size());
    if (IsDataEnding(rest)) files.push_back(prefix + rest);
  }
  std::ranges::sort(files);
  if (fs::exists(IndexFile(prefix), missing)) {
    files.insert(files.begin(), IndexFile(prefix));
  }
  return files;
}

std::string ReadFileRange(const std::string& file, int64_t offset,
                          int64_t size) {
  std::string bytes(static_cast<size_t>(size), '\0');
  ReadFileRange(file, offset, size, bytes.data());
  return bytes;
}

void ReadFileRange(const std::string& file, int64_t offset, int64_t size,
                   char* out) {
  OpenFile(file).Read(offset, out, static_cast<size_t>(size));
}

int64_t FileSize(const std::string& file) { return OpenFile(file).size(); }

}  // namespace lockstep::tensor_bundle_internal
