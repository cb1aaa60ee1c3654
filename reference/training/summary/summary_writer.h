// Event files, which TensorBoard shows.
//
//   SummaryWriter writer("logs/train");
//   writer.Scalar("epoch_loss", step, 0.25);
//   writer.Histogram("dense/kernel", step, kernel->Read());
//   writer.Flush();   // now TensorBoard sees it, and it is on the disk
//
// Each writer makes a file of its own, as a program does that goes on after a
// restart: of steps that both have TensorBoard shows the later ones. The folder
// is made where it is missing. docs/formats.md says what a file is like.
//
// A process or machine that ends early leaves what was flushed; of what it wrote
// then, a part of a record at most, which readers leave out.
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

// For one thread at a time.
class SummaryWriter {
 public:
  // Errors: InvalidArgument for an empty folder; those of SystemError, with the
  // path, where the folder or the file cannot be made.
  explicit SummaryWriter(const std::string& folder);
  // Writes what is left; where that fails a warning says so.
  ~SummaryWriter();
  SummaryWriter(const SummaryWriter&) = delete;
  SummaryWriter& operator=(const SummaryWriter&) = delete;

  // A curve's point; NaN and infinities are shown as such.
  // Errors, here and below: those of writing, now and then.
  void Scalar(const std::string& tag, int64_t step, double value);

  // How a tensor's elements are distributed; those that are not finite are left
  // out. Waits for a GPU. Errors: also InvalidArgument for strings.
  void Histogram(const std::string& tag, int64_t step, const Tensor& values);

  // Markdown.
  void Text(const std::string& tag, int64_t step, const std::string& text);

  // Hands all to the system, and waits until the disk has it. What could not be
  // written is kept for the next call. Errors: ResourceExhausted for a full disk,
  // else Unavailable; FailedPrecondition after an error that left the file
  // damaged.
  void Flush();

  // "logs/train/events.out.tfevents.1795475096.host.4711.0.v2".
  const std::string& path() const { return file_->path(); }

 private:
  // How TensorBoard shows a value.
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
