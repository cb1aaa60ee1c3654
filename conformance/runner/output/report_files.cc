#include "conformance/runner/output/report_files.h"

#include "conformance/runner/compact_json.h"
#include "conformance/runner/output/junit.h"
#include "conformance/runner/output/markdown.h"
#include "conformance/runner/output/result_json.h"
#include "reference/base/check.h"

namespace lockstep {
namespace {

void Open(std::optional<AtomicFile>& file, const std::string& path) {
  if (!path.empty()) file.emplace(path);
}

const AtomicFile* OrNull(const std::optional<AtomicFile>& file) {
  return file ? &*file : nullptr;
}

void WriteWhole(AtomicFile& file, const std::string& text) {
  file.Append(text);
  file.Commit();
}

}  // namespace

ReportFiles::ReportFiles(const ReportPaths& paths) {
  Open(json_, paths.json);
  Open(junit_, paths.junit);
  Open(markdown_, paths.markdown);
  Open(deviations_, paths.deviations);
  AtomicFile::CheckDistinct(
      {OrNull(json_), OrNull(junit_), OrNull(markdown_), OrNull(deviations_)});
}

void ReportFiles::Write(const SuiteResult& suite, const Sources& sources) {
  if (json_) WriteWhole(*json_, CompactJson(ToJson(suite, sources)));
  if (junit_) WriteWhole(*junit_, ToJUnit(suite, sources));
  if (markdown_) WriteWhole(*markdown_, ToMarkdown(suite, sources));
}

void ReportFiles::WriteDeviations(const std::string& text) {
  LOCKSTEP_CHECK(deviations_.has_value());
  WriteWhole(*deviations_, text);
}

}  // namespace lockstep
