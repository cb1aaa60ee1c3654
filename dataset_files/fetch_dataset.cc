#include "dataset_files/fetch_dataset.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>
#include <vector>

#include "dataset_files/byte_source.h"
#include "dataset_files/download.h"
#include "reference/base/atomic_file.h"
#include "reference/base/encoding/sha256.h"
#include "reference/base/error.h"
#include "reference/base/files/folder.h"

namespace lockstep {
namespace {

// gzip of incompressible data is slightly larger.
constexpr int64_t kArchiveOverhead = 1 << 16;

bool IsGood(const std::string& path, const DatasetFile& file) {
  if (!std::filesystem::exists(path)) return false;
  try {
    VerifyContent(path, file);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Waits longer each time.
void PauseBefore(int attempt) {
  if (attempt == 0) return;
  std::this_thread::sleep_for(std::chrono::milliseconds(250) * (1 << attempt));
}

class FileFetch {
 public:
  FileFetch(const DatasetFile& file, const std::string& folder,
            const std::string& label)
      : file_(file),
        path_(folder + "/" + file.name + file.suffix),
        part_path_(path_ + ".part"),
        options_{.most_bytes = file.bytes + kArchiveOverhead, .label = label} {}

  const std::string& path() const { return path_; }
  bool IsThere() const { return IsGood(path_, file_); }

  // Returns the bytes received.
  int64_t FromUrl(const std::string& url, int attempts) {
    for (int attempt = 0;; ++attempt) {
      PauseBefore(attempt);
      try {
        const int64_t bytes = Download(url, part_path_, options_);
        Publish();
        return bytes;
      } catch (const Error& e) {
        const bool may_work =
            e.code() == Code::kUnavailable || e.code() == Code::kDataLoss;
        if (!may_work || attempt + 1 >= attempts) throw;
      }
    }
  }

 private:
  // A damaged part must not be resumed.
  void Publish() {
    try {
      VerifyContent(part_path_, file_);
    } catch (const Error&) {
      std::filesystem::remove(part_path_);
      throw;
    }
    AtomicFile published(path_);
    published.Append(ReadFileBytes(part_path_));
    published.Commit();
    std::filesystem::remove(part_path_);
  }

  DatasetFile file_;
  std::string path_;
  std::string part_path_;
  DownloadOptions options_;
};

std::vector<std::string> UrlsOf(const ManifestEntry& entry,
                                const FetchOptions& options) {
  if (!options.base_url.empty()) {
    return {options.base_url + (options.base_url.ends_with('/') ? "" : "/")};
  }
  if (entry.urls.empty()) {
    throw NotFound("[Fetch] {} is not published anywhere; give a base URL",
                   entry.title);
  }
  return entry.urls;
}

}  // namespace

void VerifyContent(const std::string& path, const DatasetFile& file) {
  const std::string bytes = ReadFileBytes(path);
  const auto source = OpenBytes(bytes, path);
  std::vector<char> piece(1 << 20);
  Sha256 hash;
  int64_t size = 0;
  // A small archive may have very large content: reads at most one extra byte.
  while (size <= file.bytes) {
    const int64_t wanted =
        std::min<int64_t>(std::ssize(piece), file.bytes + 1 - size);
    const int64_t read = source->Read(piece.data(), wanted);
    hash.Update({piece.data(), static_cast<size_t>(read)});
    size += read;
    if (read < wanted) break;
  }
  const std::string digest = hash.HexDigest();
  if (digest != file.sha256) {
    throw DataLoss("[Fetch] {}: SHA-256 of the content is {}, wanted {}", path,
                   digest, file.sha256);
  }
}

FetchedFile FetchFile(const ManifestEntry& entry, const DatasetFile& file,
                      const FetchOptions& options) {
  const std::string folder = options.data_dir + "/" + entry.name;
  MakeFolder(folder);
  FileFetch fetch(file, folder, file.name);
  if (fetch.IsThere()) return {fetch.path(), 0};
  std::optional<Error> last;
  for (const std::string& url : UrlsOf(entry, options)) {
    try {
      return {fetch.path(),
              fetch.FromUrl(url + file.folder + file.name + file.suffix,
                            options.attempts)};
    } catch (const Error& e) {
      // Another server does not help if the disk is full.
      if (e.code() == Code::kResourceExhausted ||
          e.code() == Code::kFailedPrecondition) {
        throw;
      }
      last = e;
    }
  }
  throw *last;
}

}  // namespace lockstep
