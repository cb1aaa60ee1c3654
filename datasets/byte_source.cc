#include "datasets/byte_source.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "reference/base/error.h"

namespace lockstep {
namespace {

class PlainSource final : public ByteSource {
 public:
  explicit PlainSource(std::string_view bytes) : left_(bytes) {}

  int64_t Read(void* out, int64_t count) override {
    const size_t read = std::min<size_t>(count, left_.size());
    if (read > 0) std::memcpy(out, left_.data(), read);
    left_.remove_prefix(read);
    return static_cast<int64_t>(read);
  }
  int64_t UpperBound() const override { return std::ssize(left_); }

 private:
  std::string_view left_;
};

class GzipSource final : public ByteSource {
 public:
  GzipSource(std::string_view bytes, std::string origin)
      : bytes_(bytes), origin_(std::move(origin)) {
    // 16: expect gzip's header and trailer, with their checksum.
    if (inflateInit2(&stream_, MAX_WBITS + 16) != Z_OK) {
      throw ResourceExhausted("[ReadIdx] {}: no memory to decompress", origin_);
    }
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  int64_t Read(void* out, int64_t count) override {
    auto* to = static_cast<Bytef*>(out);
    int64_t read = 0;
    while (read < count && !at_end_) {
      const int64_t room = std::min<int64_t>(count - read, kPiece);
      stream_.next_out = to + read;
      stream_.avail_out = static_cast<uInt>(room);
      Inflate();
      read += room - stream_.avail_out;
    }
    return read;
  }

  int64_t UpperBound() const override {
    if (at_end_) return 0;
    return (std::ssize(bytes_) - offset_ + kWindow) * kMostRatio;
  }

 private:
  // zlib counts in 32 bits.
  static constexpr int64_t kPiece = 1 << 30;
  // What zlib may hold back, and deflate's limit: 258 bytes in 2 bits.
  static constexpr int64_t kWindow = 64;
  static constexpr int64_t kMostRatio = 1032;

  void Inflate() {
    const int64_t given =
        std::min<int64_t>(std::ssize(bytes_) - offset_, kPiece);
    // zlib does not write to its input; its type merely lacks the const.
    stream_.next_in =
        reinterpret_cast<Bytef*>(const_cast<char*>(bytes_.data() + offset_));
    stream_.avail_in = static_cast<uInt>(given);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    offset_ += given - stream_.avail_in;
    if (status == Z_STREAM_END) return EndMember();
    if (status == Z_OK) return;
    if (status == Z_BUF_ERROR && offset_ == std::ssize(bytes_)) {
      throw DataLoss("[ReadIdx] {}: the archive is truncated at offset {}",
                     origin_, offset_);
    }
    throw DataLoss("[ReadIdx] {}: the archive is damaged at offset {}: {}",
                   origin_, offset_,
                   stream_.msg != nullptr ? stream_.msg : "no reason given");
  }

  // An archive may have several members, one after another.
  void EndMember() {
    at_end_ = offset_ == std::ssize(bytes_);
    if (!at_end_) inflateReset(&stream_);
  }

  std::string_view bytes_;
  std::string origin_;
  int64_t offset_ = 0;  // in `bytes_`: what zlib has taken
  bool at_end_ = false;
  z_stream stream_{};
};

}  // namespace

std::unique_ptr<ByteSource> OpenBytes(std::string_view bytes,
                                      std::string origin) {
  if (bytes.starts_with("\x1f\x8b")) {
    return std::make_unique<GzipSource>(bytes, std::move(origin));
  }
  return std::make_unique<PlainSource>(bytes);
}

std::string ReadFileBytes(const std::string& path) {
  std::error_code problem;
  const auto size = std::filesystem::file_size(path, problem);
  if (problem == std::errc::no_such_file_or_directory) {
    throw NotFound("[ReadFile] {} does not exist", path);
  }
  if (problem) throw Unavailable("[ReadFile] {}: {}", path, problem.message());
  std::ifstream file(path, std::ios::binary);
  std::string bytes(size, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(size));
  if (!file) {
    throw Unavailable("[ReadFile] {}: {}", path, std::strerror(errno));
  }
  return bytes;
}

}  // namespace lockstep
