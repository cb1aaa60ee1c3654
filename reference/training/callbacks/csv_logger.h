// A table of epochs in a file.
#ifndef LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_CSV_LOGGER_H_
#define LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_CSV_LOGGER_H_

#include <string>
#include <vector>

#include "reference/training/callbacks/callback.h"

namespace lockstep {

// One line an epoch, under one of names.
//
//   MakeCallback<CSVLogger>("training.csv")
//
//   epoch,accuracy,loss
//   0,0.94,0.2
//
// Columns are what the first epoch has, by name, and epochs without one of them
// have NA. The file is replaced as a whole after each epoch, so a crash leaves
// it as it was after an epoch. On the chief of several workers. Errors, of fit:
// those of AtomicFile.
class CSVLogger : public Callback {
 public:
  // `append`: behind what the file holds, whose columns it keeps.
  explicit CSVLogger(std::string file, std::string separator = ",",
                     bool append = false);

  void OnTrainBegin() override;
  void OnEpochEnd(int epoch, Logs& logs) override;

 private:
  void ReadWhatThereIs();

  const std::string file_;
  const std::string separator_;
  const bool append_;
  std::vector<std::string> columns_;  // without "epoch"
  std::string text_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_CSV_LOGGER_H_
