#include "reference/base/files/new_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "reference/base/error.h"
#include "reference/base/files/folder.h"

namespace lockstep::export_internal {
namespace {

void MakeOne(const std::string& path) {
  if (mkdir(path.c_str(), 0777) == 0) return;
  throw SystemError(errno, "[NewFolder] cannot make {}", path);
}

std::string WithoutSlashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

NewFolder::NewFolder(const std::string& path)
    : path_(WithoutSlashes(path)),
      temporary_(path_ + ".tmp-" + std::to_string(getpid())) {
  std::error_code error;
  const auto status = std::filesystem::status(path_, error);
  if (std::filesystem::exists(status) &&
      !std::filesystem::is_directory(status)) {
    throw InvalidArgument("[NewFolder] {} is a file", path_);
  }
  std::filesystem::remove_all(temporary_,
                              error);  // left by a killed process
  MakeOne(temporary_);
}

NewFolder::~NewFolder() {
  std::error_code error;
  std::filesystem::remove_all(temporary_, error);
}

std::string NewFolder::operator/(const std::string& name) const {
  return temporary_ + "/" + name;
}

void NewFolder::MakeFolder(const std::string& name) const {
  MakeOne(*this / name);
}

void NewFolder::Commit() {
  SyncFolder(temporary_);
  const bool exists = std::filesystem::exists(path_);
  // Exchanges the names with an older folder, which the destructor then
  // removes.
  const unsigned flags = exists ? RENAME_EXCHANGE : RENAME_NOREPLACE;
  if (renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), flags) !=
      0) {
    throw SystemError(errno, "[NewFolder] cannot name {}", path_);
  }
  SyncFolder(FolderOf(path_));
}

}  // namespace lockstep::export_internal
