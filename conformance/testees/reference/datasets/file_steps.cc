// file.*: files in the program's folder; and the dataset.* that read them.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/base/atomic_file.h"
#include "reference/data/dataset.h"
#include "reference/data/tf_record_writer.h"

namespace lockstep::conformance {
namespace {

using Texts = std::vector<std::string>;

const std::map<std::string, Compression> kCompressions = {
    {"none", Compression::kNone},
    {"gzip", Compression::kGzip},
    {"zlib", Compression::kZlib}};

Compression CompressionOf(const StepCall& call) {
  return call.Choose(kCompressions, "compression", Compression::kNone);
}

// Atomic, because workers that share a folder write the same file at the same
// time.
void WriteFile(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.Append(bytes);
  file.Commit();
}

Value WriteText(const StepCall& call) {
  WriteFile(call.Path("file"), call.Text("text"));
  return Nothing();
}

Value WriteTFRecords(const StepCall& call) {
  TFRecordWriter writer(call.Path("file"), CompressionOf(call));
  for (const auto& record : call.Argument("records").get<Texts>()) {
    writer.Write(record);
  }
  writer.Close();
  return Nothing();
}

// The entries of "folder". Errors: NotFound if it does not exist.
std::filesystem::directory_iterator Entries(const StepCall& call) {
  std::error_code error;
  std::filesystem::directory_iterator entries(call.Path("folder"), error);
  if (error) {
    throw NotFound("[Files] cannot read the folder {}: {}", call.Path("folder"),
                   error.message());
  }
  return entries;
}

Value Files(const StepCall& call) {
  std::vector<std::string> names;
  for (const auto& entry : Entries(call)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return Json(names);
}

// The time of the last change, in nanoseconds.
int64_t ChangeTime(const std::filesystem::path& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) {
    throw ProgramError("cannot read the time of " + path.string());
  }
  return status.st_ctim.tv_sec * int64_t{1'000'000'000} +
         status.st_ctim.tv_nsec;
}

Value Newest(const StepCall& call) {
  std::string newest;
  int64_t time = 0;
  for (const auto& entry : Entries(call)) {
    if (!entry.is_regular_file()) continue;
    const int64_t changed = ChangeTime(entry.path());
    if (!newest.empty() && changed <= time) continue;
    newest = entry.path().string();
    time = changed;
  }
  if (newest.empty()) {
    throw NotFound("[Newest] no file is in {}", call.Path("folder"));
  }
  return call.Relative(newest);
}

Value FlipByte(const StepCall& call) {
  const std::string path = call.Path("file");
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const int64_t at = call.Integer("at");
  file.seekg(at, at < 0 ? std::ios::end : std::ios::beg);
  const std::streampos place = file.tellg();
  const int byte = file.get();
  file.seekp(place);
  file.put(static_cast<char>(~byte));
  if (!file.flush()) throw ProgramError("cannot damage " + path);
  return Nothing();
}

Texts PathsOf(const StepCall& call, const char* argument) {
  Texts paths = call.Argument(argument).get<Texts>();
  for (std::string& path : paths) path = call.folder() + "/" + path;
  return paths;
}

// The files of a source: those listed, or the one that an element names.
Texts FilesOf(const StepCall& call) {
  if (call.Has("files")) return PathsOf(call, "files");
  return {call.GetTensor("named").item<std::string>()};
}

Value TextLines(const StepCall& call) {
  return Dataset::FromTextLines(FilesOf(call));
}

Value FixedLengthRecords(const StepCall& call) {
  return Dataset::FromFixedLengthRecords(
      FilesOf(call), {.record_bytes = call.Integer("record_bytes"),
                      .header_bytes = call.Integer("header_bytes", 0),
                      .footer_bytes = call.Integer("footer_bytes", 0)});
}

Value TFRecords(const StepCall& call) {
  return Dataset::FromTFRecords(FilesOf(call), CompressionOf(call));
}

Value ListFiles(const StepCall& call) {
  std::optional<uint64_t> seed;
  if (call.Has("seed")) seed = static_cast<uint64_t>(call.Integer("seed"));
  return Dataset::ListFiles(PathsOf(call, "patterns"),
                            call.Boolean("shuffle", true), seed);
}

Value Save(const StepCall& call) {
  call.Get<Dataset>("of").Save(call.Path("folder"));
  return Nothing();
}

Value Load(const StepCall& call) { return Dataset::Load(call.Path("folder")); }

}  // namespace

void AddFileSteps(StepTable& table) {
  table.Add("file.write_text", WriteText);
  table.Add("file.write_tf_records", WriteTFRecords);
  table.Add("file.list", Files);
  table.Add("file.newest", Newest);
  table.Add("file.flip_byte", FlipByte);
  table.Add("dataset.text_lines", TextLines);
  table.Add("dataset.fixed_length_records", FixedLengthRecords);
  table.Add("dataset.tf_records", TFRecords);
  table.Add("dataset.list_files", ListFiles);
  table.Add("dataset.save", Save);
  table.Add("dataset.load", Load);
}

}  // namespace lockstep::conformance
