// A file in memory that is deleted with its last descriptor.
//
//   MemoryFile said("said");
//   ChildProcess child(..., {.out = said.descriptor()});
//   child.Wait();
//   said.Content();      // what the child wrote
#ifndef LOCKSTEP_BENCHMARKS_PROCESS_MEMORY_FILE_H_
#define LOCKSTEP_BENCHMARKS_PROCESS_MEMORY_FILE_H_

#include <string>
#include <string_view>

namespace lockstep::benchmarks {

// Errors of all: what SystemError makes of the system's.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int descriptor() const { return descriptor_; }

  // Readers of the descriptor start at the beginning.
  void Fill(std::string_view bytes);
  std::string Content() const;

 private:
  const int descriptor_;
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_PROCESS_MEMORY_FILE_H_
