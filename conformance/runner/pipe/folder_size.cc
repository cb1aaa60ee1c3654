#include "conformance/runner/pipe/folder_size.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string_view>
#include <utility>

namespace lockstep {
namespace {

using std::chrono::steady_clock;

constexpr int kOpenFolder =
    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;

}  // namespace

void FolderSize::CountFor(std::chrono::milliseconds time) {
  constexpr int kStepsBetweenLooks = 64;
  const auto end = steady_clock::now() + time;
  do {
    for (int step = 0; step < kStepsBetweenLooks; ++step) {
      Step();
      if (levels_.empty()) return;  // the count is complete
    }
  } while (steady_clock::now() < end);
}

void FolderSize::Step() {
  if (levels_.empty()) {
    if (!Enter(openat(folder_, ".", kOpenFolder))) End();
    return;
  }
  if (!all_read_) {
    const dirent* const entry = readdir(open_.get());
    if (entry) return CountEntry(entry->d_name);
    all_read_ = true;
  }
  std::vector<std::string>& to_visit = levels_.back().to_visit;
  if (to_visit.empty()) {
    if (!Leave()) End();
    return;
  }
  const std::string name = std::move(to_visit.back());
  to_visit.pop_back();
  Enter(openat(dirfd(open_.get()), name.c_str(), kOpenFolder));
}

void FolderSize::CountEntry(const char* name) {
  constexpr int64_t kBlock = 512;  // of st_blocks, on every file system
  if (std::string_view(name) == "." || std::string_view(name) == "..") return;
  struct stat status;
  if (fstatat(dirfd(open_.get()), name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return;
  }
  counted_ += std::max(status.st_blocks * kBlock, kMinFileBytes);
  if (S_ISDIR(status.st_mode)) levels_.back().to_visit.emplace_back(name);
}

bool FolderSize::Enter(int opened) {
  struct stat status;
  if (opened < 0) return false;
  if (fstat(opened, &status) != 0) {
    close(opened);
    return false;
  }
  DIR* const folder = fdopendir(opened);
  if (!folder) {
    close(opened);
    return false;
  }
  open_.reset(folder);
  all_read_ = false;
  levels_.push_back({status.st_dev, status.st_ino, {}});
  return true;
}

bool FolderSize::Leave() {
  if (levels_.size() == 1) return false;
  levels_.pop_back();
  Level back = std::move(levels_.back());
  levels_.pop_back();
  if (!Enter(openat(dirfd(open_.get()), "..", kOpenFolder))) return false;
  Level& entered = levels_.back();
  if (entered.device != back.device || entered.number != back.number) {
    return false;  // the folder was moved
  }
  entered = std::move(back);
  all_read_ = true;
  return true;
}

void FolderSize::End() {
  last_ = std::exchange(counted_, 0);
  levels_.clear();
  open_.reset();
}

}  // namespace lockstep
