#include "benchmarks/process/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "reference/base/error.h"

namespace lockstep::benchmarks {
namespace {

[[noreturn]] void Fail(std::string_view action) {
  throw SystemError(errno, "[MemoryFile] cannot {} a file in memory", action);
}

}  // namespace

MemoryFile::MemoryFile(const char* name)
    : descriptor_(memfd_create(name, MFD_CLOEXEC)) {
  if (descriptor_ < 0) Fail("make");
}

MemoryFile::~MemoryFile() { close(descriptor_); }

void MemoryFile::Fill(std::string_view bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t written =
        pwrite(descriptor_, bytes.data() + done, bytes.size() - done,
               static_cast<off_t>(done));
    if (written < 0) Fail("write");
    done += static_cast<size_t>(written);
  }
}

std::string MemoryFile::Content() const {
  std::string content;
  std::array<char, 1 << 16> piece;
  while (true) {
    const ssize_t got = pread(descriptor_, piece.data(), piece.size(),
                              static_cast<off_t>(content.size()));
    if (got < 0) Fail("read");
    if (got == 0) return content;
    content.append(piece.data(), static_cast<size_t>(got));
  }
}

}  // namespace lockstep::benchmarks
