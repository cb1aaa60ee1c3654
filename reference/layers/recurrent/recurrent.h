// Recurrent layers over [batch, time, features], as in Keras 3: GRU with the
// reset gate after the product (reset_after), and LSTM.
//
//   Gru encoder(1024, {.return_sequences = true, .return_state = true});
//   encoder(x);          // [N, T, F] -> {[N, T, 1024], [N, 1024]}
//   encoder({x, h});     // from the state h [N, 1024], else from zeros
//   Lstm(64)(x);         // [N, T, F] -> [N, 64], the last step's
//   Lstm(64)(std::vector<Structure>{x, h, c});
//
// One product projects the inputs of all steps; ops::Gru and ops::Lstm run
// through time. All steps count: there is no mask. A decoder that computes the
// next input itself calls its layer with one step at a time.
#ifndef LOCKSTEP_REFERENCE_LAYERS_RECURRENT_RECURRENT_H_
#define LOCKSTEP_REFERENCE_LAYERS_RECURRENT_RECURRENT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "reference/layers/initializers.h"
#include "reference/layers/layer.h"
#include "reference/layers/layer_impl.h"

namespace lockstep {

struct RecurrentOptions {
  bool return_sequences = false;  // all steps instead of the last one
  bool return_state = false;      // then the states, as further results
  bool use_bias = true;
  Initializer kernel_initializer = initializers::GlorotUniform();
  Initializer recurrent_initializer = initializers::Orthogonal();
  // An Lstm's forget gates begin with a bias of 1, as in Keras.
  Initializer bias_initializer = initializers::Zeros();
  RegularizerPtr kernel_regularizer = nullptr;
  RegularizerPtr recurrent_regularizer = nullptr;
  RegularizerPtr bias_regularizer = nullptr;
  std::optional<DTypePolicy> dtype =
      std::nullopt;       // default: the global policy
  std::string name = "";  // "gru", "gru_1", ... or "lstm", ... by default
};

enum class RecurrentKind { kGru, kLstm };

// The weights are those of its cell, "<name>/gru_cell/kernel" [F, 3U],
// "recurrent_kernel" [U, 3U] and "bias" [2, 3U], or "<name>/lstm_cell/..." [F,
// 4U], [U, 4U] and [4U]. Gates are in Keras' order: z, r, c and i, f, c, o.
// Config is Unimplemented: files do not store these layers.
class RecurrentImpl : public CompositeLayerImpl {
 public:
  RecurrentImpl(RecurrentKind kind, int64_t units,
                const RecurrentOptions& options);

  // Errors: InvalidArgument unless there is an input [N, T, F] with T >= 1, and
  // no states or all of them, [N, units].
  ShapeStructure ComputeOutputShape(
      const ShapeStructure& input_shapes) const override;

 protected:
  void MakeWeights(const ShapeStructure& input_shapes) override;
  Structure Call(const Structure& inputs, bool training) override;

 private:
  void CheckShapes(const ShapeStructure& input_shapes) const;
  int64_t num_states() const { return kind_ == RecurrentKind::kGru ? 1 : 2; }

  RecurrentKind kind_;
  int64_t units_;
  RecurrentOptions options_;
};

class Gru : public Layer {
 public:
  // Errors: InvalidArgument for units < 1.
  explicit Gru(int64_t units, const RecurrentOptions& options = {})
      : Layer(std::make_shared<RecurrentImpl>(RecurrentKind::kGru, units,
                                              options)) {}
};

class Lstm : public Layer {
 public:
  // Errors: InvalidArgument for units < 1.
  explicit Lstm(int64_t units, const RecurrentOptions& options = {})
      : Layer(std::make_shared<RecurrentImpl>(RecurrentKind::kLstm, units,
                                              options)) {}
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_RECURRENT_RECURRENT_H_
