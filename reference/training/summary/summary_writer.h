// Writes event files, which TensorBoard shows.
//
//   SummaryWriter writer("logs/train");
//   writer.Scalar("epoch_loss", step, 0.25);
//   writer.Histogram("dense/kernel", step, kernel->Read());
//   writer.Flush();   // TensorBoard can see it, and it is on the disk
//
// Each writer creates a new file, also in a program that was restarted; if several
// files have the same step, TensorBoard shows the latest. The folder is created if
// needed. docs/formats.md describes the files.
//
// If the process or machine fails, all flushed records are kept. The last record may
// be incomplete; readers ignore it.
#ifndef LOCKSTEP_REFERENCE_TRAINING_SUMMARY_SUMMARY_WRITER_H_
#define LOCKSTEP_REFERENCE_TRAINING_SUMMARY_SUMMARY_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "reference/base/files/appended_file.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

namespace summary {
class Event;
class TensorProto;
}  // namespace summary

// Not thread-safe.
class SummaryWriter {
 public:
  // Errors: InvalidArgument if the folder is empty; those of SystemError, with the
  // path, if the folder or the file cannot be created.
  explicit SummaryWriter(const std::string& folder);
  // Writes the rest; logs a warning if that fails.
  ~SummaryWriter();
  SummaryWriter(const SummaryWriter&) = delete;
  SummaryWriter& operator=(const SummaryWriter&) = delete;

  // Adds a point of a curve, which may be NaN or infinite.
  // Errors, here and below: those of Flush, if the buffer is full.
  void Scalar(const std::string& tag, int64_t step, double value);

  // Adds a histogram of a tensor's finite elements. Waits for the GPU. Errors: also
  // InvalidArgument for strings.
  void Histogram(const std::string& tag, int64_t step, const Tensor& values);

  // Adds a text in Markdown.
  void Text(const std::string& tag, int64_t step, const std::string& text);

  // Writes all records and waits for the disk. Records that could not be written are
  // kept for the next call. Errors: ResourceExhausted for a full disk, else
  // Unavailable; FailedPrecondition after an error that left the file damaged.
  void Flush();

  // "logs/train/events.out.tfevents.1795475096.host.4711.0.v2".
  const std::string& path() const { return file_->path(); }

 private:
  // The plugin with which TensorBoard shows a value.
  struct Plugin {
    const char* name;
    int data_class;
  };

  void AddValue(const std::string& tag, int64_t step, const Plugin& plugin,
                const summary::TensorProto& tensor);
  void AddEvent(summary::Event& event);
  void Write();

  std::unique_ptr<AppendedFile> file_;
  std::string buffer_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_SUMMARY_SUMMARY_WRITER_H_
