// The checkpoint node "_functional" that Keras 3 puts between a Sequential and
// its layers: "_operations/0" is the input layer, "_operations/1" the first
// layer with work to do; the other nodes are empty lists and dictionaries that
// Keras tracks too.
#ifndef LOCKSTEP_REFERENCE_LAYERS_FUNCTIONAL_NODE_H_
#define LOCKSTEP_REFERENCE_LAYERS_FUNCTIONAL_NODE_H_

#include <array>
#include <tuple>

#include "reference/autodiff/trackable.h"
#include "reference/autodiff/trackable_list.h"

namespace lockstep::layers_internal {

class FunctionalNode : public Trackable {
 public:
  FunctionalNode();

  // The next operation. REQUIRES: `operation` lives as long as this does.
  void AddOperation(Trackable& operation) { operations_.Append(operation); }

 private:
  std::array<Trackable, 7> empty_;
  TrackableList operations_;
};

}  // namespace lockstep::layers_internal

#endif  // LOCKSTEP_REFERENCE_LAYERS_FUNCTIONAL_NODE_H_
