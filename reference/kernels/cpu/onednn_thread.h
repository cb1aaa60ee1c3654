// oneDNN on one of our threads: never more than the thread itself.
//
// oneDNN splits its work with OpenMP; our loops are split already, so each call
// runs under a OneDnnThread, which sets the thread's OpenMP width to 1 (no
// parallel region is opened then) and puts the caller's width back.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CPU_ONEDNN_THREAD_H_
#define LOCKSTEP_REFERENCE_KERNELS_CPU_ONEDNN_THREAD_H_

namespace lockstep::kernels_internal {

class OneDnnThread {
 public:
  OneDnnThread();
  ~OneDnnThread();
  OneDnnThread(const OneDnnThread&) = delete;
  OneDnnThread& operator=(const OneDnnThread&) = delete;

 private:
  int previous_width_;
};

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CPU_ONEDNN_THREAD_H_
