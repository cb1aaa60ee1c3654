// A sequence of oneDNN's primitives on our tensors.
//
//   const kernels_internal::OneDnnThread single;   // as long as all the others
//   OneDnnSequence work;
//   const memory in = work.Wrap(x, ImageDims(x.shape()), Tag::nhwc);
//   const memory out = work.Wrap(y, ImageDims(y.shape()), Tag::nhwc);
//   work.AddFunction(dnnl::algorithm::eltwise_relu, in, out);
//   work.Run();
#ifndef LOCKSTEP_BENCHMARKS_MICRO_KERNELS_ONEDNN_SEQUENCE_H_
#define LOCKSTEP_BENCHMARKS_MICRO_KERNELS_ONEDNN_SEQUENCE_H_

#include <dnnl.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reference/tensor/dtype.h"
#include "reference/tensor/shape.h"
#include "reference/tensor/tensor.h"

namespace lockstep::benchmarks {

// A tensor's axes in oneDNN's order: images are N, C, H, W.
dnnl::memory::dims ImageDims(const Shape& nhwc);

// REQUIRES: a OneDnnThread lives on the calling thread.
class OneDnnSequence {
 public:
  using Arguments = std::unordered_map<int, dnnl::memory>;

  // A tensor's memory. Keeps the tensor.
  dnnl::memory Wrap(const Tensor& tensor, const dnnl::memory::dims& dims,
                    dnnl::memory::format_tag tag);
  // Memory of the sequence's own, cleared.
  dnnl::memory New(const dnnl::memory::desc& desc);

  // `array` in a primitive's layout: itself, or a copy that each run makes.
  dnnl::memory As(const dnnl::memory& array, const dnnl::memory::desc& wanted);
  // The output of a primitive that writes layout `made`: `array`, or memory
  // that Deliver, called after the primitive, copies there in each run.
  dnnl::memory For(const dnnl::memory& array, const dnnl::memory::desc& made);
  void Deliver(const dnnl::memory& written, const dnnl::memory& array);

  void Add(const dnnl::primitive& primitive, Arguments arguments);
  // y = function(x), of x's layout.
  void AddFunction(dnnl::algorithm function, const dnnl::memory& x,
                   const dnnl::memory& y);
  // dx, the gradient of x for dy, that of function(x); all of x's layout.
  void AddFunctionGradient(dnnl::algorithm function, const dnnl::memory& x,
                           const dnnl::memory& dy, const dnnl::memory& dx);
  // dx = dy where y, which a ReLU made, is positive; all of y's layout.
  void AddReluMask(const dnnl::memory& y, const dnnl::memory& dy,
                   const dnnl::memory& dx);
  // For a primitive that is followed by a ReLU.
  static dnnl::primitive_attr WithRelu();

  void Run() const;

  // Whether oneDNN has more than reorders for it here: for bfloat16 it has
  // nothing below AVX-512.
  static bool Computes(DType dtype);

 private:
  std::vector<Tensor> tensors_;
  std::vector<std::pair<dnnl::primitive, Arguments>> calls_;
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_MICRO_KERNELS_ONEDNN_SEQUENCE_H_
