#include "dataset_files/byte_source.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <system_error>

#include "reference/base/encoding/compression.h"
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
  GzipSource(std::string_view bytes, const std::string& origin)
      : left_(bytes), inflater_(Compression::kGzip, "[ReadGzip] " + origin) {}

  int64_t Read(void* out, int64_t count) override {
    const std::span<char> room(static_cast<char*>(out), count);
    const int64_t read = inflater_.Inflate(&left_, room);
    if (read < count) inflater_.CheckEnd();
    return read;
  }

  int64_t UpperBound() const override {
    if (left_.empty() && inflater_.may_end()) return 0;
    return (std::ssize(left_) + kWindow) * kMostRatio;
  }

 private:
  // Bytes that zlib may buffer, and deflate's limit: 258 bytes in 2 bits.
  static constexpr int64_t kWindow = 64;
  static constexpr int64_t kMostRatio = 1032;

  std::string_view left_;
  Inflater inflater_;
};

}  // namespace

std::unique_ptr<ByteSource> OpenBytes(std::string_view bytes,
                                      const std::string& origin) {
  if (bytes.starts_with("\x1f\x8b")) {
    return std::make_unique<GzipSource>(bytes, origin);
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

std::string ReadContent(const std::string& path) {
  const std::string bytes = ReadFileBytes(path);
  const auto source = OpenBytes(bytes, path);
  std::string content;
  std::array<char, 1 << 16> piece;
  while (const int64_t read = source->Read(piece.data(), piece.size())) {
    content.append(piece.data(), read);
  }
  return content;
}

}  // namespace lockstep
