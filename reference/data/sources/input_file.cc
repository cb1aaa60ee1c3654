#include "reference/data/sources/input_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

#include "reference/base/error.h"

namespace lockstep::data_internal {
namespace {

constexpr size_t kBufferBytes = 256 << 10;

}  // namespace

InputFile::InputFile(std::string_view operation, std::string name,
                     Compression compression)
    : operation_(operation),
      name_(std::move(name)),
      buffer_(std::make_unique_for_overwrite<char[]>(kBufferBytes)) {
  if (compression != Compression::kNone) {
    inflater_.emplace(compression, fmt::format("[{}] {}", operation_, name_));
    archive_ = std::make_unique_for_overwrite<char[]>(kBufferBytes);
  }
  descriptor_ = open(name_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) {
    throw SystemError(errno, "[{}] cannot open {}", operation_, name_);
  }
}

InputFile::~InputFile() { close(descriptor_); }

std::string_view InputFile::Peek() {
  if (begin_ == end_) Fill();
  return {buffer_.get() + begin_, static_cast<size_t>(end_ - begin_)};
}

int64_t InputFile::Read(int64_t count, std::string* to) {
  int64_t done = 0;
  while (done < count) {
    const std::string_view next = Peek().substr(0, count - done);
    if (next.empty()) break;
    to->append(next);
    Skip(std::ssize(next));
    done += std::ssize(next);
  }
  return done;
}

std::optional<int64_t> InputFile::size() const {
  struct stat state {};
  if (inflater_ || fstat(descriptor_, &state) != 0) return std::nullopt;
  if (!S_ISREG(state.st_mode)) return std::nullopt;
  return state.st_size;
}

void InputFile::Fill() {
  const int64_t count = inflater_ ? FillFromArchive() : ReadFile(buffer_.get());
  begin_ = 0;
  end_ = count;
  read_ += count;
}

int64_t InputFile::FillFromArchive() {
  while (true) {
    const int64_t made = inflater_->Inflate(
        &archive_left_, std::span<char>(buffer_.get(), kBufferBytes));
    if (made > 0) return made;
    const int64_t count = ReadFile(archive_.get());
    if (count == 0) break;
    archive_left_ = {archive_.get(), static_cast<size_t>(count)};
  }
  inflater_->CheckEnd();
  return 0;
}

int64_t InputFile::ReadFile(char* to) {
  while (true) {
    const ssize_t count = read(descriptor_, to, kBufferBytes);
    if (count >= 0) return count;
    if (errno != EINTR) {
      throw SystemError(errno, "[{}] cannot read {}", operation_, name_);
    }
  }
}

}  // namespace lockstep::data_internal
