#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <new>

#include "reference/base/error_testing.h"
#include "reference/kernels/convolution/conv2d.h"
#include "reference/kernels/cpu/onednn_engine.h"
#include "reference/kernels/linear/matmul.h"

extern "C" {
void omp_set_num_threads(int);
int omp_get_max_threads(void);
}

namespace lockstep::kernels_internal {
namespace {

int64_t ThreadsOfThisProcess() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

TEST(OneDnnThreadTest, SetsAndRestoresTheWidth) {
  omp_set_num_threads(3);
  {
    const OneDnnThread single;
    EXPECT_EQ(omp_get_max_threads(), 1);
    const OneDnnThread nested;
    EXPECT_EQ(omp_get_max_threads(), 1);
  }
  EXPECT_EQ(omp_get_max_threads(), 3);
}

TEST(OneDnnErrorTest, OutOfMemoryIsResourceExhausted) {
  const auto rethrow = [](const auto& exception) {
    try {
      throw exception;
    } catch (...) {
      RethrowOneDnnError("Conv2D");
    }
  };
  ExpectError([&] { rethrow(dnnl::error(dnnl_out_of_memory, "x")); },
              Code::kResourceExhausted, "[Conv2D] there is no memory");
  ExpectError([&] { rethrow(std::bad_alloc()); }, Code::kResourceExhausted,
              "[Conv2D] there is no memory");
  ExpectError(
      [&] { rethrow(dnnl::error(dnnl_unimplemented, "no such shape")); },
      Code::kInternal, "[Conv2D] oneDNN: no such shape");
  ExpectError([&] { rethrow(NotFound("a")); }, Code::kNotFound, "a");
}

TEST(OneDnnThreadTest, KernelsStartNoThreads) {
  omp_set_num_threads(4);
  const int64_t before = ThreadsOfThisProcess();
  const Tensor x = Tensor::Zeros(Shape{32, 16, 16, 32});
  const Tensor filter = Tensor::Zeros(Shape{3, 3, 32, 32});
  const Tensor y = kernels::Conv2D(x, filter, {}, {});
  kernels::Conv2DBackward(x, filter, {}, y, {}, true);
  kernels::MatMul(Tensor::Zeros(Shape{512, 512}),
                  Tensor::Zeros(Shape{512, 512}));
  EXPECT_EQ(ThreadsOfThisProcess(), before);
}

}  // namespace
}  // namespace lockstep::kernels_internal
