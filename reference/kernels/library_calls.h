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
//   run();                          // queues that call and nothing else
#ifndef LOCKSTEP_REFERENCE_KERNELS_LIBRARY_CALLS_H_
#define LOCKSTEP_REFERENCE_KERNELS_LIBRARY_CALLS_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace lockstep {

struct LibraryCall {
  // All that it depends on: calls of one name take the same time.
  std::string name;
  // Gives a function that queues the call on its device, over memory that the
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

#endif  // LOCKSTEP_REFERENCE_KERNELS_LIBRARY_CALLS_H_
