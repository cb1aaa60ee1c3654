// Settings and statistics of cuDNN and cuBLASLt: what they may trade for speed,
// and which calls were made.
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
  // Convolutions and matrix products time the best few plans when a signature
  // is first used and take the fastest, instead of the library's first choice.
  // Another run may choose another plan, which rounds differently.
  bool autotune = false;

  bool operator==(const GpuMath&) const = default;
};

// Sets it for the whole process, from the next kernel on.
void SetGpuMath(const GpuMath& math);
GpuMath CurrentGpuMath();

// For reports: "tf32 off, autotune off".
std::string Describe(const GpuMath& math);

// Records the calls of cuDNN and cuBLASLt of some work on GPUs, so that they
// can be timed alone.
//
//   LibraryCalls calls;
//   {
//     const LibraryCalls::Scope scope(&calls);   // this thread's kernels
//     Step(batch);                               // one or more calls per layer
//   }
//   calls.list()[0].name;           // "MatMul 64 x 1600 x 64, float32, ..."
//   const auto run = calls.list()[0].prepare();
//   run();                          // enqueues only that call
struct LibraryCall {
  // Identifies the work: calls of one name take the same time.
  std::string name;
  // Returns a function that enqueues the call on its device and owns the
  // memory. Errors of both: ResourceExhausted, Internal.
  std::function<std::function<void()>()> prepare;
};

class LibraryCalls {
 public:
  void Add(LibraryCall call) { list_.push_back(std::move(call)); }
  // All calls in order, with repetitions.
  const std::vector<LibraryCall>& list() const { return list_; }

  // The object that records the calling thread's calls, or nullptr.
  static LibraryCalls* Current();

  // While it lives, `calls` records the calling thread's calls; nullptr records
  // none.
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
