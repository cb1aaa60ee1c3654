// A program of the package for tests: a GPU test that ends as its own name says.
#include <dlfcn.h>
#include <errno.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <string_view>

namespace {

bool Is(std::string_view name) {
  return std::string_view(program_invocation_short_name).ends_with(name);
}

// What every program with CUDA does first, by the name that it is linked with.
TEST(StandIn, FindsTheDriver) {
  EXPECT_NE(dlopen("libcuda.so.1", RTLD_NOW), nullptr) << dlerror();
}

TEST(StandIn, DoesAsItsNameSays) {
  if (Is("segfaults")) raise(SIGSEGV);
  if (Is("killed")) raise(SIGKILL);
  while (Is("hangs")) pause();
  EXPECT_FALSE(Is("fails"));
}

}  // namespace
