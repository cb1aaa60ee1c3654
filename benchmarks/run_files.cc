#include "benchmarks/run_files.h"

#include <fmt/core.h>

#include <exception>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "benchmarks/report_process.h"
#include "command_line/program.h"
#include "reference/base/error.h"
#include "reference/base/files/folder.h"
#include "reference/base/log.h"

namespace lockstep::benchmarks {
namespace {

// "results/scaling-20260131-120000-2.json" for the second.
std::string Numbered(const FreeName& name, int number) {
  const std::string end = number == 1 ? "" : fmt::format("-{}", number);
  return std::filesystem::path(name.folder) /
         (name.stem + end + name.extension);
}

}  // namespace

OutputFile::OutputFile(const std::string& path)
    : file_(std::make_unique<AtomicFile>(path)) {}

OutputFile::OutputFile(const FreeName& name) : name_(name) {
  MakeFolder(name.folder);
  file_ = std::make_unique<AtomicFile>(Numbered(name, 1));
}

void OutputFile::Write(std::string_view bytes) {
  if (file_->visible()) file_ = std::make_unique<AtomicFile>(file_->path());
  file_->Append(bytes);
  if (ours_ || name_.stem.empty()) {
    file_->Commit();
  } else {
    Claim(bytes);
  }
  ours_ = true;
}

void OutputFile::Claim(std::string_view bytes) {
  for (int number = 2; !file_->CommitNew(); ++number) {
    file_ = std::make_unique<AtomicFile>(Numbered(name_, number));
    file_->Append(bytes);
  }
}

namespace {

namespace fs = std::filesystem;

constexpr auto kBetweenKeeps = std::chrono::seconds(1);

OutputFile OpenResult(const std::string& path, const std::string& stem) {
  if (!path.empty()) return OutputFile(path);
  return OutputFile(FreeName{ResultsFolder(), stem, ".json"});
}

std::string ToText(const Json& result) { return result.dump(2) + "\n"; }

std::string Beside(const OutputFile& result) {
  return fs::path(result.path()).replace_extension(".html");
}

void PrintPlace(const char* what, const OutputFile& file) {
  Print("{:<8}{}\n", what, fs::absolute(file.path()).string());
}

// Does one thing after the other, even if earlier ones fail.
class Attempts {
 public:
  void Do(const std::function<void()>& work) {
    try {
      work();
    } catch (const Error& error) {
      if (problems_.empty()) code_ = error.code();
      problems_ += (problems_.empty() ? "" : "\n") + std::string(error.what());
    }
  }
  // Errors: the first one's code, with the words of all.
  void Check() const {
    if (!problems_.empty()) throw Error(code_, problems_);
  }

 private:
  Code code_ = Code::kInternal;
  std::string problems_;
};

}  // namespace

RunFiles::RunFiles(const ScalingOptions& options, const std::string& stem)
    : result_(OpenResult(options.json, stem)),
      page_wanted_(options.report != "none") {
  if (!options.trace.empty()) trace_.emplace(options.trace);
  if (page_wanted_) OpenPage(options, stem);
  AtomicFile::CheckDistinct({&result_.file(),
                             trace_ ? &trace_->file() : nullptr,
                             page_ ? &page_->file() : nullptr});
}

void RunFiles::OpenPage(const ScalingOptions& options,
                        const std::string& stem) {
  if (!options.report.empty()) {
    page_.emplace(options.report);
  } else if (result_.written_through()) {
    page_.emplace(FreeName{ResultsFolder(), stem + "-page", ".html"});
  } else if (!options.json.empty()) {
    page_.emplace(Beside(result_));
  }  // else beside a result that has no name yet
}

void RunFiles::KeepSoFar(const Json& result) {
  const auto now = std::chrono::steady_clock::now();
  if (result_.written_through() || now < kept_ + kBetweenKeeps) return;
  try {
    result_.Write(ToText(result));
  } catch (const Error& error) {
    LogWarning("[RunFiles] the epochs so far are not kept: {}", error.what());
  }
  kept_ = std::chrono::steady_clock::now();
}

void RunFiles::WriteAll(const std::string& program, const Json& result,
                        const std::vector<TraceProcess>& traces) {
  Attempts attempts;
  attempts.Do([&] {
    result_.Write(ToText(result));
    PrintPlace("result", result_);
  });
  attempts.Do([&] {
    if (!trace_) return;
    trace_->Write(ToTraceEvents(traces).dump() + "\n");
    PrintPlace("trace", *trace_);
  });
  attempts.Do([&] {
    if (!page_wanted_) return;
    if (!page_) page_.emplace(Beside(result_));
    page_->Write(MakePerformanceReport(program, ToText(result),
                                       fs::path(result_.path()).filename()));
    PrintPlace("report", *page_);
  });
  attempts.Check();
}

}  // namespace lockstep::benchmarks
