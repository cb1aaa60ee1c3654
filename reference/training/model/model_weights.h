// A model's weights in files.
#ifndef LOCKSTEP_REFERENCE_TRAINING_MODEL_MODEL_WEIGHTS_H_
#define LOCKSTEP_REFERENCE_TRAINING_MODEL_MODEL_WEIGHTS_H_

#include <string>

#include "reference/cluster/topology.h"
#include "reference/layers/layer.h"

namespace lockstep {

// Model::SaveWeights and LoadWeights; who of several workers writes where is
// `topology`'s.
void SaveModelWeights(const Layer& model, const std::string& path,
                      const Topology& topology);
void LoadModelWeights(const Layer& model, const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_MODEL_MODEL_WEIGHTS_H_
