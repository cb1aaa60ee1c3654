// Records differentiable operations and plays them backwards.
//
//   GradientTape tape;
//   Tensor x = v->Read();                         // reading watches v
//   Tensor loss = ops::Multiply(x, x);
//   tape.Gradient(loss, {v})[0]->item<float>();   // 2 v
//
// A tape belongs to the thread that created it and records that thread's
// operations while it lives; tapes nest. On a replica's thread, gradients are
// that replica's own until an optimizer (or AllReduce) sums them. Gradient's
// own computations are not recorded: there are no gradients of gradients.
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_GRADIENT_TAPE_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_GRADIENT_TAPE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "reference/autodiff/indexed_slices.h"
#include "reference/autodiff/variable.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

using Gradients = std::vector<std::optional<Tensor>>;

// What to differentiate with respect to: a variable, or a tensor that the tape
// watches.
using GradientSource = std::variant<VariablePtr, Tensor>;

// Computes the gradients of the inputs, in order, from the gradient of the
// output. `needed` marks the inputs that depend on a watched tensor; the
// gradients of others may be nullopt.
using Backward = std::function<Gradients(const Tensor& output_gradient,
                                         std::span<const bool> needed)>;

// One per source; nullopt if the target does not depend on it.
using VariableGradients = std::vector<std::optional<VariableGradient>>;

class GradientTape {
 public:
  GradientTape();
  ~GradientTape();
  GradientTape(const GradientTape&) = delete;
  GradientTape& operator=(const GradientTape&) = delete;

  // Follows a tensor that is not a trainable variable's value. No effect once
  // the tape is used up.
  void Watch(const Tensor& tensor);

  // Called with the index of a source, and its gradient as Gradient will return
  // it.
  using OnReady =
      std::function<void(size_t source, const std::optional<Tensor>& gradient)>;

  // d target / d source for each source; nullopt if the target does not depend
  // on it. The gradient of a non-scalar target is that of its sum. Uses up the
  // tape, which releases all its tensors.
  //
  // `on_ready`, if any, is called once per source, as soon as no remaining
  // operation can add to its gradient: sources used last come first, several at
  // a time in the order of `sources`, those without a gradient at the start. An
  // exception from it ends the call. Errors: FailedPrecondition on a second
  // call.
  Gradients Gradient(const Tensor& target,
                     const std::vector<VariablePtr>& sources,
                     const OnReady& on_ready = nullptr);
  Gradients Gradient(const Tensor& target, const std::vector<Tensor>& sources,
                     const OnReady& on_ready = nullptr);
  // The same, but the gradient of a variable of which only rows were looked up
  // (ops::Gather) is these rows, without zeros for the others. It is a tensor
  // if the variable has other uses, and on a GPU. `on_ready` gets nullopt for
  // rows.
  //
  //   optimizer.ApplyGradients(Zip(tape.SparseGradient(loss, v), v));
  VariableGradients SparseGradient(const Tensor& target,
                                   const std::vector<VariablePtr>& sources,
                                   const OnReady& on_ready = nullptr);
  // The same for variables and tensors.
  Gradients Gradient(const Tensor& target,
                     std::span<const GradientSource> sources,
                     const OnReady& on_ready = nullptr);

 private:
  friend void RecordOperation(const std::vector<Tensor>& inputs,
                              const Tensor& output, Backward backward);
  friend void RecordGather(const Tensor& params, const Shape& shape,
                           const Tensor& indices, const Tensor& rows);
  friend void RecordVariableRead(const Variable& variable, const Tensor& value);
  friend bool IsRecorded(const Tensor& tensor);

  struct State;
  // Errors: FailedPrecondition if it is used up.
  std::unique_ptr<State> TakeState();
  template <typename Source>
  Gradients GradientBy(const Tensor& target, std::span<const Source> sources,
                       const OnReady& on_ready);

  std::unique_ptr<State> state_;  // nullptr if used up
  GradientTape* outer_;
};

// Records an operation on the calling thread's tapes. Cheap if none follows an
// input: `backward` is then destroyed. REQUIRES: `output` is not an input (a
// view of one has a different id).
void RecordOperation(const std::vector<Tensor>& inputs, const Tensor& output,
                     Backward backward);

// Records that `rows` is kernels::Gather(params, indices), with params of this
// shape. If they are kept elsewhere, any tensor of another id stands for them.
void RecordGather(const Tensor& params, const Shape& shape,
                  const Tensor& indices, const Tensor& rows);

// Records that `value` is the value of `variable`. Tapes follow trainable
// variables only.
void RecordVariableRead(const Variable& variable, const Tensor& value);

// Whether a tape of the calling thread follows `tensor`. Operations use it to
// skip work that only the gradient needs.
bool IsRecorded(const Tensor& tensor);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_GRADIENT_TAPE_H_
