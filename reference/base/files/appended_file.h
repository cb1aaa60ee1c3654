// A file that grows at its end while others may read it.
//
//   auto file = AppendedFile::MakeNew("log/events.1");   // nullptr: it is there
//   file->Append("a line\n");   // is in the file now
//   file->Sync();               // and on the disk
//
// What an Append could not write whole is taken away again, so that it may be
// tried once more. A process that is killed in the middle of one leaves a part
// of it at the file's end.
#ifndef LOCKSTEP_REFERENCE_BASE_FILES_APPENDED_FILE_H_
#define LOCKSTEP_REFERENCE_BASE_FILES_APPENDED_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace lockstep {

class AppendedFile {
 public:
  // Nullptr where something has that name already. Errors: NotFound for a
  // missing folder, else those of SystemError, with the path.
  static std::unique_ptr<AppendedFile> MakeNew(const std::string& path);
  ~AppendedFile();
  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;

  // Errors: ResourceExhausted for a full disk or a size limit, else
  // Unavailable; FailedPrecondition after a part could not be taken away.
  void Append(std::string_view bytes);

  // What was appended, and the file's name, outlast a crash of the machine.
  // Nothing is done where nothing was appended since. Errors: those of
  // SystemError, with the path; it may be tried again. NotFound where the file
  // was removed.
  void Sync();

  const std::string& path() const { return path_; }

 private:
  AppendedFile(std::string path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;
  int descriptor_;
  int64_t bytes_ = 0;
  int64_t synced_ = -1;  // of them; none: nor the name
  bool damaged_ = false;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_FILES_APPENDED_FILE_H_
