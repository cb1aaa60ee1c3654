// cuDNN and cuBLASLt as users of kernels see them: what the libraries may trade
// for speed, and which of their calls were made.
#ifndef LOCKSTEP_REFERENCE_KERNELS_GPU_LIBRARIES_H_
#define LOCKSTEP_REFERENCE_KERNELS_GPU_LIBRARIES_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace lockstep {

// How GPU kernels may trade accuracy and repeatable bits for speed.
//
//   SetGpuMath({.allow_tf32 = true});
//   Describe(CurrentGpuMath());       // "tf32 on, autotune off"
//
// Off by default: float32 products keep all their bits, and the same program
// gives the same bits each time it runs on the same machine.
struct GpuMath {
  // Matrix products and convolutions of float32 may round their inputs to
  // TensorFloat-32 (10 bits of fraction).
  bool allow_tf32 = false;
  // Convolutions and matrix products take the fastest of the best few plans,
  // each timed when a signature is first seen, instead of the one that the
  // library thinks best. Another run may take another one, with other rounding.
  bool autotune = false;

  bool operator==(const GpuMath&) const = default;
};

// For the whole process; takes effect with the next call of a kernel.
void SetGpuMath(const GpuMath& math);
GpuMath CurrentGpuMath();

// For reports: "tf32 off, autotune off".
std::string Describe(const GpuMath& math);

// The calls of cuDNN and cuBLASLt that a stretch of work makes on GPUs, for
// whoever wants to know what they take alone.
//
//   LibraryCalls calls;
//   {
//     const LibraryCalls::Scope scope(&calls);   // this thread's kernels
//     Step(batch);                               // one or more a layer
//   }
//   calls.list()[0].name;           // "MatMul 64 x 1600 x 64, float32, ..."
//   const auto run = calls.list()[0].prepare();
//   run();                          // enqueues that call and nothing else
struct LibraryCall {
  // All that it depends on: calls of one name take the same time.
  std::string name;
  // Gives a function that enqueues the call on its device, over memory that the
  // function holds. Errors of both: ResourceExhausted, Internal.
  std::function<std::function<void()>()> prepare;
};

class LibraryCalls {
 public:
  void Add(LibraryCall call) { list_.push_back(std::move(call)); }
  // In their order, equal ones as often as they were made.
  const std::vector<LibraryCall>& list() const { return list_; }

  // What the calling thread's calls are added to; nullptr: nobody asks.
  static LibraryCalls* Current();

  // While it lives the calling thread's calls go to `calls`, nullptr for
  // nowhere.
  class Scope {
   public:
    explicit Scope(LibraryCalls* calls);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    LibraryCalls* const previous_;
  };

 private:
  std::vector<LibraryCall> list_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_KERNELS_GPU_LIBRARIES_H_
