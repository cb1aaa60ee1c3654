// A table of epochs in a file.
#ifndef LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_CSV_LOGGER_H_
#define LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_CSV_LOGGER_H_

#include <string>
#include <vector>

#include "reference/training/events/callback.h"

namespace lockstep {

// One line an epoch, under one of names.
//
//   MakeCallback<CSVLogger>("training.csv")
//
//   epoch,accuracy,loss
//   0,0.94,0.2
//
// Columns are by name; one that an epoch is the first to have is added at the
// end. Epochs without one of them have NA. A fit that goes on at a later epoch, as
// BackupAndRestore lets it, keeps the lines of the epochs before. The file is
// replaced as a whole after each epoch, so a crash leaves
// it as it was after an epoch. On the chief of several workers. Errors, of fit:
// those of AtomicFile.
class CSVLogger : public Callback {
 public:
  // `append`: after all lines that the file holds. Errors, of fit:
  // InvalidArgument for a file that is no such table.
  explicit CSVLogger(std::string file, std::string separator = ",",
                     bool append = false);

  void OnTrainBegin() override;
  void OnEpochEnd(int epoch, Logs& logs) override;

 private:
  using Names = std::vector<std::string>;

  // Takes over the file's names and those of its lines whose epoch is below
  // `before`. False, and nothing happens, where it is no table, or not there.
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
