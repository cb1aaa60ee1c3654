// Records differentiable operations and plays them backwards.
//
//   GradientTape tape;
//   Tensor x = v->Read();                         // reading watches v
//   Tensor loss = ops::Multiply(x, x);
//   tape.Gradient(loss, {v})[0]->item<float>();   // 2 v
//
// A tape belongs to the thread that made it and records what that thread does
// while it lives; tapes nest. In a replica's thread a gradient stays that
// replica's own until an optimizer (or AllReduce) sums it. What Gradient itself
// computes is not recorded: there are no gradients of gradients.
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

// What to differentiate by: a variable, or a tensor that the tape watches.
using GradientSource = std::variant<VariablePtr, Tensor>;

// Gradients of the inputs, in order, from the gradient of the output. `needed`
// says which inputs lead to a watched tensor; others may be left empty.
using Backward = std::function<Gradients(const Tensor& output_gradient,
                                         std::span<const bool> needed)>;

// One a source; nullopt where the target does not depend on it.
using VariableGradients = std::vector<std::optional<VariableGradient>>;

class GradientTape {
 public:
  GradientTape();
  ~GradientTape();
  GradientTape(const GradientTape&) = delete;
  GradientTape& operator=(const GradientTape&) = delete;

  // Follows a tensor that no trainable variable was read for. No effect once
  // the tape is used up.
  void Watch(const Tensor& tensor);

  // The number of a source, and its gradient as Gradient will return it.
  using OnReady =
      std::function<void(size_t source, const std::optional<Tensor>& gradient)>;

  // d target / d source for each source; nullopt where the target does not
  // depend on it. The gradient of a non-scalar target is that of its sum.
  // The tape is used up, and lets go of every tensor it kept.
  //
  // `on_ready`, if any, hears of each source once: as soon as no operation left
  // to be played can add to its gradient, so those used last come first;
  // several at a time in the order of `sources`, those without a gradient at
  // the start. What it throws ends the call.
  // Errors: FailedPrecondition on a second call.
  Gradients Gradient(const Tensor& target,
                     const std::vector<VariablePtr>& sources,
                     const OnReady& on_ready = nullptr);
  Gradients Gradient(const Tensor& target, const std::vector<Tensor>& sources,
                     const OnReady& on_ready = nullptr);
  // The same, where a variable of which only rows were looked up (ops::Gather)
  // has these as its gradient, in place of zeros for all others. With anything
  // else done to it, and on a GPU, it has a tensor. `on_ready` hears nullopt of
  // rows.
  //
  //   optimizer.ApplyGradients(Zip(tape.SparseGradient(loss, v), v));
  VariableGradients SparseGradient(const Tensor& target,
                                   const std::vector<VariablePtr>& sources,
                                   const OnReady& on_ready = nullptr);
  // Variables and tensors together.
  Gradients Gradient(const Tensor& target,
                     std::span<const GradientSource> sources,
                     const OnReady& on_ready = nullptr);

 private:
  friend void RecordOperation(const std::vector<Tensor>& inputs,
                              const Tensor& output, Backward backward);
  friend void RecordGather(const Tensor& params, const Tensor& indices,
                           const Tensor& rows);
  friend void RecordVariableRead(const Variable& variable, const Tensor& value);
  friend bool IsRecorded(const Tensor& tensor);

  struct State;
  // Errors: FailedPrecondition when it is used up.
  std::unique_ptr<State> TakeState();
  template <typename Source>
  Gradients GradientBy(const Tensor& target, std::span<const Source> sources,
                       const OnReady& on_ready);

  std::unique_ptr<State> state_;  // nullptr when used up
  GradientTape* outer_;
};

// Tells the calling thread's tapes of an operation. Cheap when none follows an
// input: `backward` is then dropped. REQUIRES: `output` is no input (a view of
// one has an id of its own).
void RecordOperation(const std::vector<Tensor>& inputs, const Tensor& output,
                     Backward backward);

// Tells them that `rows` are rows of `params`: kernels::Gather(params, indices).
void RecordGather(const Tensor& params, const Tensor& indices,
                  const Tensor& rows);

// Tells the calling thread's tapes that `value` is what `variable` holds. They
// follow trainable variables only.
void RecordVariableRead(const Variable& variable, const Tensor& value);

// Some tape of the calling thread follows `tensor`: an operation uses this to
// skip work that only its gradient needs.
bool IsRecorded(const Tensor& tensor);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_GRADIENT_TAPE_H_
