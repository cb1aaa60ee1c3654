// Prints a model as a table.
#ifndef LOCKSTEP_REFERENCE_TRAINING_MODEL_MODEL_SUMMARY_H_
#define LOCKSTEP_REFERENCE_TRAINING_MODEL_MODEL_SUMMARY_H_

#include <string>

#include "reference/layers/layer.h"

namespace lockstep {

// Implements Model::Summary.
std::string Summarize(const Layer& model);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_MODEL_MODEL_SUMMARY_H_
