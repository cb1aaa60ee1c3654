// The files that a run writes: its result, and on request a trace and a page.
#ifndef LOCKSTEP_BENCHMARKS_RUN_FILES_H_
#define LOCKSTEP_BENCHMARKS_RUN_FILES_H_

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/scaling_options.h"
#include "reference/base/atomic_file.h"
#include "reference/base/json.h"
#include "reference/base/trace_events.h"

namespace lockstep::benchmarks {

// The names that a run tries until one is free.
struct FreeName {
  std::string folder;  // created if missing
  std::string stem;
  std::string extension;
};

// A file that a run writes; it is opened before the run begins.
//
//   OutputFile result("r.json");                        // fails now, not after the run
//   result.Write(so_far); ... result.Write(all);        // the same file, each time whole
//
//   OutputFile made_up({"results", "scaling-20260131-120000", ".json"});
//   made_up.Write(all);
//   made_up.path();         // "results/scaling-20260131-120000.json", or "...-2.json" if
//                           // another run had that name first
//
// Errors of all: those of AtomicFile, and of MakeFolder.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  explicit OutputFile(const FreeName& name);

  // Replaces the file's content; appends to a pipe or a device.
  void Write(std::string_view bytes);

  bool written_through() const { return file_->written_through(); }
  const AtomicFile& file() const { return *file_; }

  // Of a free name, the chosen path once something has been written.
  const std::string& path() const { return file_->path(); }

 private:
  void Claim(std::string_view bytes);

  FreeName name_;      // empty where the user has named the file
  bool ours_ = false;  // something has been written
  std::unique_ptr<AtomicFile> file_;
};

// All files of a run.
//
//   RunFiles files(options, "scaling-20260131-120000");   // fails now, not after the run
//   files.KeepSoFar(result);     // after each epoch: what a kill would leave
//   files.WriteAll(program, result, traces);
class RunFiles {
 public:
  // `stem` names files that the user did not name: they go to ResultsFolder().
  // Errors: those of OutputFile; InvalidArgument where two files would be one.
  RunFiles(const ScalingOptions& options, const std::string& stem);

  // Writes the result, at most once a second, if it is a file. A failure is a
  // warning, since the run is not over.
  void KeepSoFar(const Json& result);

  // Writes everything and prints where it is, even after a file that could
  // not be written. Errors: one with the messages of all that failed.
  void WriteAll(const std::string& program, const Json& result,
                const std::vector<TraceProcess>& traces);

 private:
  void OpenPage(const ScalingOptions& options, const std::string& stem);

  OutputFile result_;
  std::optional<OutputFile> trace_;
  const bool page_wanted_;
  // None as long as it belongs to a result that has no name yet.
  std::optional<OutputFile> page_;
  std::chrono::steady_clock::time_point kept_{};  // last
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_RUN_FILES_H_
