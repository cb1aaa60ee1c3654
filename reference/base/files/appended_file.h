// A file that is appended to while others may read it.
//
//   auto file = AppendedFile::MakeNew("log/events.1");   // nullptr: it exists
//   file->Append("a line\n");   // now in the file
//   file->Sync();               // and on disk
//
// If an Append cannot write everything it removes what it wrote, so that it can
// be retried. A process that is killed during an Append may leave a part at the
// end of the file.
#ifndef LOCKSTEP_REFERENCE_BASE_FILES_APPENDED_FILE_H_
#define LOCKSTEP_REFERENCE_BASE_FILES_APPENDED_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace lockstep {

class AppendedFile {
 public:
  // Returns nullptr if the name exists already. Errors: NotFound for a missing
  // folder, else those of SystemError, with the path.
  static std::unique_ptr<AppendedFile> MakeNew(const std::string& path);
  ~AppendedFile();
  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;

  // Errors: ResourceExhausted for a full disk or a size limit, else
  // Unavailable; FailedPrecondition after a part could not be removed.
  void Append(std::string_view bytes);

  // Makes the contents and the file's name survive a crash of the machine. Does
  // nothing if nothing was appended since the last Sync. Errors: those of
  // SystemError, with the path, after which it may be retried; NotFound if the
  // file was removed.
  void Sync();

  const std::string& path() const { return path_; }

 private:
  AppendedFile(std::string path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;
  int descriptor_;
  int64_t bytes_ = 0;
  int64_t synced_ = -1;  // of them; -1: not even the name
  bool damaged_ = false;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_FILES_APPENDED_FILE_H_
