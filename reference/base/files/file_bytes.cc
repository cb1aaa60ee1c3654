#include "reference/base/files/file_bytes.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "reference/base/atomic_file.h"
#include "reference/base/error.h"

namespace lockstep::export_internal {

std::string ReadFileBytes(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) &&
      !std::filesystem::is_regular_file(status)) {
    throw InvalidArgument("[ReadFile] {} is not a file", path);
  }
  const auto size = std::filesystem::file_size(path, error);
  if (error) throw SystemError(error.value(), "[ReadFile] {}", path);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw SystemError(errno, "[ReadFile] {}", path);
  std::string bytes(size, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (file.gcount() != static_cast<std::streamsize>(bytes.size())) {
    throw Unavailable("[ReadFile] {}: of {} bytes {} could be read", path, size,
                      file.gcount());
  }
  return bytes;
}

void WriteFileBytes(const std::string& path, const std::string& bytes) {
  AtomicFile file(path);
  file.Append(bytes);
  file.Commit();
}

}  // namespace lockstep::export_internal
