#include "dataset_files/download.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/base/terminal.h"

namespace lockstep {
namespace {

[[noreturn]] void Fail(std::string_view action, const std::string& path,
                       int error_number) {
  const char* word = std::strerror(error_number);
  if (error_number == ENOSPC || error_number == EDQUOT ||
      error_number == EFBIG) {
    throw ResourceExhausted("[PartFile] cannot {} {}: {}", action, path, word);
  }
  throw Unavailable("[PartFile] cannot {} {}: {}", action, path, word);
}

}  // namespace

PartFile::PartFile(const std::string& path) : path_(path) {
  descriptor_ = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) Fail("open", path, errno);
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int error_number = errno;
    close(descriptor_);
    if (error_number != EWOULDBLOCK) Fail("lock", path, error_number);
    throw FailedPrecondition("[PartFile] another process is writing {}", path);
  }
  size_ = lseek(descriptor_, 0, SEEK_END);
}

PartFile::~PartFile() { close(descriptor_); }

void PartFile::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) Fail("write to", path_, errno);
    bytes.remove_prefix(written);
    size_ += written;
  }
}

void PartFile::Clear() {
  if (ftruncate(descriptor_, 0) != 0) Fail("empty", path_, errno);
  size_ = lseek(descriptor_, 0, SEEK_SET);
}

namespace {

constexpr long kNotFoundStatus = 404;
constexpr long kRangeStatus = 416;  // the range begins at or after the end

class Transfer {
 public:
  Transfer(const std::string& url, PartFile& part,
           const DownloadOptions& options)
      : url_(url),
        part_(part),
        options_(options),
        offset_(part.size()),
        handle_(curl_easy_init(), curl_easy_cleanup) {
    LOCKSTEP_CHECK(handle_ != nullptr);
    Set(CURLOPT_URL, url.c_str());
    Set(CURLOPT_FOLLOWLOCATION, 1L);
    Set(CURLOPT_FAILONERROR, 1L);
    Set(CURLOPT_NOSIGNAL, 1L);
    Set(CURLOPT_CONNECTTIMEOUT, long{options.stall_seconds});
    Set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    Set(CURLOPT_LOW_SPEED_TIME, long{options.stall_seconds});
    Set(CURLOPT_RESUME_FROM_LARGE, curl_off_t{offset_});
    Set(CURLOPT_WRITEFUNCTION, &Transfer::Write);
    Set(CURLOPT_WRITEDATA, this);
    Set(CURLOPT_ERRORBUFFER, error_text_);
  }

  // Errors: as Download. False if the server cannot continue at the offset.
  bool Run() {
    const CURLcode code = curl_easy_perform(handle_.get());
    if (error_) std::rethrow_exception(error_);
    if (code == CURLE_OK) return true;
    if (offset_ > 0 && CannotContinue(code)) return false;
    Fail(code);
  }

 private:
  template <typename Value>
  void Set(CURLoption option, Value value) {
    LOCKSTEP_CHECK(curl_easy_setopt(handle_.get(), option, value) == CURLE_OK);
  }

  // libcurl is C: exceptions are stored here until it has returned.
  static size_t Write(const char* data, size_t, size_t count, void* self) {
    auto* transfer = static_cast<Transfer*>(self);
    try {
      transfer->Receive({data, count});
      return count;
    } catch (...) {
      transfer->error_ = std::current_exception();
      return CURL_WRITEFUNC_ERROR;
    }
  }

  void Receive(std::string_view bytes) {
    if (part_.size() + std::ssize(bytes) > options_.most_bytes) {
      throw DataLoss("[Download] {} sends more than the {} bytes it may have",
                     url_, options_.most_bytes);
    }
    part_.Append(bytes);
    if (!bar_.has_value()) {
      curl_off_t expected = 0;
      curl_easy_getinfo(handle_.get(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T,
                        &expected);
      bar_.emplace(expected > 0 ? expected : 0, "bytes");
      bar_->SetLabel(options_.label);
    }
    bar_->Advance(std::ssize(bytes));
  }

  long Status() const {
    long status = 0;
    curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
    return status;
  }

  bool CannotContinue(CURLcode code) const {
    return code == CURLE_RANGE_ERROR || code == CURLE_BAD_DOWNLOAD_RESUME ||
           (code == CURLE_HTTP_RETURNED_ERROR && Status() == kRangeStatus);
  }

  [[noreturn]] void Fail(CURLcode code) const {
    const char* text =
        error_text_[0] != '\0' ? error_text_ : curl_easy_strerror(code);
    if (code == CURLE_FILE_COULDNT_READ_FILE ||
        (code == CURLE_HTTP_RETURNED_ERROR && Status() == kNotFoundStatus)) {
      throw NotFound("[Download] {}: {}", url_, text);
    }
    throw Unavailable("[Download] {}: {}", url_, text);
  }

  const std::string& url_;
  PartFile& part_;
  const DownloadOptions& options_;
  int64_t offset_;
  std::unique_ptr<CURL, void (*)(CURL*)> handle_;
  char error_text_[CURL_ERROR_SIZE] = {};
  std::exception_ptr error_;
  std::optional<ProgressBar> bar_;
};

}  // namespace

int64_t Download(const std::string& url, const std::string& part_path,
                 const DownloadOptions& options) {
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  LOCKSTEP_CHECK(initialised == CURLE_OK);
  PartFile part(part_path);
  const int64_t before = part.size();
  if (Transfer(url, part, options).Run()) return part.size() - before;
  part.Clear();
  Transfer(url, part, options).Run();
  return part.size();
}

}  // namespace lockstep
