#include "reference/base/atomic_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/base/files/folder.h"
#include "reference/base/files/write_all.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as many as Linux follows

[[noreturn]] void Fail(const std::string& path, int error_number) {
  throw SystemError(error_number, "[OutputTarget] cannot write to {}", path);
}

// The descriptor that an entry of the folder of this process's descriptors is.
std::optional<int> DescriptorOf(const fs::path& path) {
  std::error_code absent;
  const fs::path folder = fs::canonical(FolderOf(path), absent);
  const fs::path listed = fs::canonical("/proc/self/fd", absent);
  if (absent || folder != listed) return std::nullopt;
  const std::string name = path.filename();
  int number = -1;
  const auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), number);
  const bool whole = error == std::errc{} && end == name.data() + name.size();
  return whole ? std::optional(number) : std::nullopt;
}

OutputTarget Opened(int descriptor, const std::string& path) {
  const int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0) Fail(path, errno);
  if ((flags & O_ACCMODE) == O_RDONLY) Fail(path, EBADF);
  return {.descriptor = descriptor};
}

OutputTarget Special(const std::string& path, mode_t mode) {
  if (S_ISDIR(mode)) Fail(path, EISDIR);
  if (S_ISSOCK(mode)) Fail(path, ENXIO);
  if (access(path.c_str(), W_OK) != 0) Fail(path, errno);
  return {.special = path};
}

bool IsLink(const fs::path& path) {
  std::error_code absent;
  return fs::is_symlink(fs::symlink_status(path, absent));
}

}  // namespace

OutputTarget FindOutputTarget(const std::string& path) {
  if (path.empty()) throw InvalidArgument("[OutputTarget] the path is empty");
  struct stat there;
  const bool exists = stat(path.c_str(), &there) == 0;
  if (!exists && errno != ENOENT) Fail(path, errno);
  fs::path place = path;
  for (int links = 0;; ++links) {
    if (const auto number = DescriptorOf(place)) return Opened(*number, path);
    if (!IsLink(place) || links == kMostLinks) break;
    place = fs::path(FolderOf(place)) / fs::read_symlink(place);
  }
  if (exists && !S_ISREG(there.st_mode)) return Special(path, there.st_mode);
  return {.file = place};
}

namespace {

namespace fs = std::filesystem;

std::string TemporaryName(const std::string& file) {
  static std::atomic<int> counter{0};
  return fmt::format("{}.tmp-{}-{}", file, getpid(), counter.fetch_add(1));
}

// The path through which a file without a name gets one.
std::string NameOfDescriptor(int descriptor) {
  return fmt::format("/proc/self/fd/{}", descriptor);
}

bool IsUnknownHere(int error_number) {
  return error_number == EOPNOTSUPP || error_number == EISDIR ||
         error_number == EINVAL;
}

}  // namespace

// Enough to start writing to disk.
constexpr int64_t kPieceToWriteBack = 1 << 20;

AtomicFile::AtomicFile(const std::string& path, Durability durability)
    : path_(path),
      target_(FindOutputTarget(path)),
      durability_(durability),
      folder_(FolderOf(target_.file)),
      temporary_path_(TemporaryName(target_.file)) {
  Open();
}

AtomicFile::~AtomicFile() {
  Close();
  if (named_) unlink(temporary_path_.c_str());
}

void AtomicFile::Close() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

void AtomicFile::Open() {
  if (written_through()) {
    if (target_.descriptor < 0) return;
    descriptor_ = fcntl(target_.descriptor, F_DUPFD_CLOEXEC, 0);
    if (descriptor_ < 0) Fail("write to", errno);
    return;
  }
  if (access("/proc/self/fd", X_OK) == 0) {
    descriptor_ = open(folder_.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) return;
    if (!IsUnknownHere(errno)) Fail("create", errno);
  }
  descriptor_ = open(temporary_path_.c_str(),
                     O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) Fail("create", errno);
  named_ = true;
}

void AtomicFile::Append(std::string_view bytes) {
  const WriteResult result = Put(bytes_written_, bytes);
  bytes_written_ += result.bytes;
  if (result.error_number != 0) Fail("write", result.error_number);
  if (bytes_written_ - written_back_ < kPieceToWriteBack) return;
  StartWriteback(written_back_, bytes_written_);
  written_back_ = bytes_written_;
}

int64_t AtomicFile::Reserve(int64_t bytes) {
  const int64_t place = bytes_written_;
  bytes_written_ += bytes;
  if (written_through()) held_back_.resize(bytes_written_);
  return place;
}

void AtomicFile::WriteAt(int64_t place, std::string_view bytes) {
  const WriteResult result = Put(place, bytes);
  if (result.error_number != 0) {
    Fail("write", result.error_number, place + result.bytes);
  }
  if (result.bytes >= kPieceToWriteBack) {
    StartWriteback(place, place + result.bytes);
  }
}

WriteResult AtomicFile::Put(int64_t place, std::string_view bytes) {
  if (!written_through()) return WriteAllAt(descriptor_, place, bytes);
  const size_t end = static_cast<size_t>(place) + bytes.size();
  held_back_.resize(std::max(held_back_.size(), end));
  std::ranges::copy(bytes, held_back_.begin() + place);
  return {std::ssize(bytes), 0};
}

// Starts writing to disk before Sync, so that the disk works while more is
// appended.
void AtomicFile::StartWriteback(int64_t begin, int64_t end) const {
  if (!durable()) return;
  // Only a hint: errors show in Sync.
  sync_file_range(descriptor_, begin, end - begin, SYNC_FILE_RANGE_WRITE);
}

void AtomicFile::Sync() {
  if (!durable()) return;
  LOCKSTEP_CHECK(descriptor_ >= 0);
  if (fsync(descriptor_) != 0) Fail("fsync", errno);
}

void AtomicFile::Commit() {
  LOCKSTEP_CHECK(!visible_);
  if (written_through()) return WriteThrough();
  Sync();
  Publish();
  visible_ = true;
  Close();
  // The name is durable only after the folder is on disk.
  if (durable()) SyncFolder(folder_);
}

bool AtomicFile::CommitNew() {
  if (!written_through()) {
    Sync();
    const int taken = open(target_.file.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (taken < 0 && errno == EEXIST) return false;
    if (taken < 0) Fail("create", errno);
    close(taken);
  }
  try {
    Commit();
  } catch (const Error&) {
    if (!written_through() && !visible_) unlink(target_.file.c_str());
    throw;
  }
  return true;
}

void AtomicFile::Publish() {
  const std::string& file = target_.file;
  if (!named_) {
    const std::string nameless = NameOfDescriptor(descriptor_);
    const auto link_as = [&](const std::string& name) {
      return linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, name.c_str(),
                    AT_SYMLINK_FOLLOW) == 0;
    };
    if (link_as(file)) return;
    // A link does not replace a file; a rename does.
    if (errno != EEXIST) Fail("name", errno);
    if (!link_as(temporary_path_)) Fail("name", errno);
    named_ = true;
  }
  if (rename(temporary_path_.c_str(), file.c_str()) != 0) Fail("rename", errno);
  named_ = false;
}

void AtomicFile::WriteThrough() {
  if (descriptor_ < 0) {
    descriptor_ =
        open(target_.special.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (descriptor_ < 0) Fail("open", errno);
  } else {
    std::fflush(nullptr);  // after what was printed there
  }
  const WriteResult result = WriteAll(descriptor_, held_back_);
  if (result.error_number != 0) {
    Fail("write", result.error_number, bytes_written_);
  }
  visible_ = true;
  Close();
}

void AtomicFile::CheckDistinct(std::initializer_list<const AtomicFile*> files) {
  const auto place = [](const AtomicFile* file) {
    return fs::weakly_canonical(fs::absolute(file->target_.file));
  };
  for (auto one = files.begin(); one != files.end(); ++one) {
    if (*one == nullptr || (*one)->written_through()) continue;
    for (auto other = files.begin(); other != one; ++other) {
      if (*other == nullptr || (*other)->written_through()) continue;
      if (place(*one) != place(*other)) continue;
      throw InvalidArgument("[AtomicFile] {} and {} are one file, wanted two",
                            (*other)->path_, (*one)->path_);
    }
  }
}

void AtomicFile::Fail(std::string_view action, int error_number) const {
  Fail(action, error_number, bytes_written_);
}

void AtomicFile::Fail(std::string_view action, int error_number,
                      int64_t bytes) const {
  throw SystemError(error_number, "[AtomicFile] cannot {} {} after {} bytes",
                    action, path_, bytes);
}

FolderLock::FolderLock(const std::string& folder)
    : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0) {
    throw SystemError(errno, "[FolderLock] cannot open {}", folder);
  }
  int status = 0;
  do {
    status = flock(descriptor_, LOCK_EX);
  } while (status != 0 && errno == EINTR);
  if (status != 0) {
    const int error_number = errno;
    close(descriptor_);
    throw SystemError(error_number, "[FolderLock] cannot lock {}", folder);
  }
}

FolderLock::~FolderLock() { close(descriptor_); }

}  // namespace lockstep
