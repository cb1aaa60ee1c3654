#include "reference/kernels/cuda/matmul_signature.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace lockstep::kernels_internal {
namespace {

TEST(MatMulSignatureTest, EveryPartTellsPlansApart) {
  using Signature = MatMulSignature;
  const std::vector<std::function<void(Signature&)>> changes = {
      [](Signature& s) { s.dtype = DType::kFloat64; },
      [](Signature& s) { s.m = 4; },
      [](Signature& s) { s.n = 4; },
      [](Signature& s) { s.k = 4; },
      [](Signature& s) { s.transpose_a = true; },
      [](Signature& s) { s.transpose_b = true; },
      [](Signature& s) { s.bias = true; },
      [](Signature& s) { s.relu = true; },
      [](Signature& s) { s.wide = true; },
      [](Signature& s) { s.allow_tf32 = true; },
      [](Signature& s) { s.autotune = true; }};
  const Signature first{.m = 1, .n = 2, .k = 3};
  std::set<Signature> seen = {first};
  std::set<std::string> words = {Describe(first)};
  EXPECT_EQ(*words.begin(), "MatMul 1 x 3 x 2, float32");
  for (size_t i = 0; i < changes.size(); ++i) {
    Signature changed = first;
    changes[i](changed);
    EXPECT_TRUE(seen.insert(changed).second) << i;
    EXPECT_TRUE(words.insert(Describe(changed)).second) << i;
  }
  EXPECT_FALSE(seen.insert(first).second);
}

}  // namespace
}  // namespace lockstep::kernels_internal
