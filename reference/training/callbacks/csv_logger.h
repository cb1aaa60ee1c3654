// Writes a table of epochs to a file.
#ifndef LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_CSV_LOGGER_H_
#define LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_CSV_LOGGER_H_

#include <string>
#include <vector>

#include "reference/training/events/callback.h"

namespace lockstep {

// Writes one line per epoch, after a line of column names.
//
//   MakeCallback<CSVLogger>("training.csv")
//
//   epoch,accuracy,loss
//   0,0.94,0.2
//
// Columns are sorted by name; those that a later epoch is the first to have are added
// at the end. An epoch without a value for a column has NA. A fit that begins at a
// later epoch, such as one that BackupAndRestore resumes, keeps the lines of earlier
// epochs. The file is replaced atomically after each epoch. Only the chief writes.
// Errors, of fit: those of AtomicFile.
class CSVLogger : public Callback {
 public:
  // With `append`, keeps all lines of the file. Errors, of fit: InvalidArgument if
  // the file is not such a table.
  explicit CSVLogger(std::string file, std::string separator = ",",
                     bool append = false);

  void OnTrainBegin() override;
  void OnEpochEnd(int epoch, Logs& logs) override;

 private:
  using Names = std::vector<std::string>;

  // Reads the file's column names, and its lines whose epoch is below `before`.
  // Returns false, and does nothing, if the file is not a table or does not exist.
  bool ReadTable(int before);
  void AddColumns(const Logs& logs);

  const std::string file_;
  const std::string separator_;
  const bool append_;
  bool has_begun_ = false;
  Names columns_;      // "epoch" and the others
  std::string lines_;  // each with a value for every column
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_CSV_LOGGER_H_
