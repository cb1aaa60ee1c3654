// A file that a run writes, whose place is taken before the run begins.
//
//   OutputFile result("r.json");                        // fails now, not after the run
//   result.Write(so_far); ... result.Write(all);        // the same file, each time whole
//
//   OutputFile made_up({"results", "scaling-20260131-120000", ".json"});
//   made_up.Write(all);
//   made_up.path();         // "results/scaling-20260131-120000.json", or "...-2.json" if
//                           // another run had that name first
#ifndef LOCKSTEP_BENCHMARKS_OUTPUT_FILE_H_
#define LOCKSTEP_BENCHMARKS_OUTPUT_FILE_H_

#include <memory>
#include <string>
#include <string_view>

#include "reference/base/atomic_file.h"

namespace lockstep::benchmarks {

// Names that a run may choose among.
struct FreeName {
  std::string folder;  // is made where it is not there
  std::string stem;
  std::string extension;
};

// Errors of all: those of AtomicFile, and of MakeFolder.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  explicit OutputFile(const FreeName& name);

  // What is written replaces what was there before. Through a pipe or a device
  // everything goes that is written.
  void Write(std::string_view bytes);

  bool written_through() const { return file_->written_through(); }
  const AtomicFile& file() const { return *file_; }

  // For a free name: which it is, once something has been written.
  const std::string& path() const { return file_->path(); }

 private:
  void Claim(std::string_view bytes);

  FreeName name_;      // empty where the user has named the file
  bool ours_ = false;  // something has been written
  std::unique_ptr<AtomicFile> file_;
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_OUTPUT_FILE_H_
