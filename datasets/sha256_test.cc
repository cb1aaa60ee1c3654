#include "datasets/sha256.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

// Expected values: FIPS 180-2, appendix B, and its empty message.
TEST(Sha256Test, StandardExamples) {
  Sha256 abc;
  abc.Update("abc");
  EXPECT_EQ(abc.HexDigest(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256 million;
  for (int i = 0; i < 1000; ++i) million.Update(std::string(1000, 'a'));
  EXPECT_EQ(million.HexDigest(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(Sha256().HexDigest(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace
}  // namespace lockstep
