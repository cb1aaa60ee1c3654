#include "reference/layers/functional_node.h"

namespace lockstep::layers_internal {

FunctionalNode::FunctionalNode() {
  // In the order Keras 3.15 tracks them.
  constexpr std::array kEmptyNodes = {"_tracked",
                                      "_inbound_nodes",
                                      "_outbound_nodes",
                                      "_losses",
                                      "_losses_override",
                                      "call_signature_parameters",
                                      "_call_has_context_arg"};
  static_assert(kEmptyNodes.size() == std::tuple_size_v<decltype(empty_)>);
  for (size_t i = 0; i < kEmptyNodes.size(); ++i) {
    TrackChild(kEmptyNodes[i], empty_[i]);
  }
  TrackChild("_operations", operations_);
}

}  // namespace lockstep::layers_internal
