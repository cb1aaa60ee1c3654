#include "reference/kernels/library_calls.h"

#include <gtest/gtest.h>

#include <thread>

namespace lockstep {
namespace {

TEST(LibraryCallsTest, GoToTheInnermostScopeOfTheirThread) {
  LibraryCalls outer, inner;
  EXPECT_EQ(LibraryCalls::Current(), nullptr);
  {
    const LibraryCalls::Scope scope(&outer);
    LibraryCalls::Current()->Add({"first", {}});
    {
      const LibraryCalls::Scope within(&inner);
      LibraryCalls::Current()->Add({"second", {}});
      const LibraryCalls::Scope nowhere(nullptr);
      EXPECT_EQ(LibraryCalls::Current(), nullptr);
    }
    LibraryCalls::Current()->Add({"first", {}});
    std::thread([] { EXPECT_EQ(LibraryCalls::Current(), nullptr); }).join();
  }
  EXPECT_EQ(LibraryCalls::Current(), nullptr);
  ASSERT_EQ(outer.list().size(), 2u);
  EXPECT_EQ(outer.list()[1].name, "first");
  ASSERT_EQ(inner.list().size(), 1u);
  EXPECT_EQ(inner.list()[0].name, "second");
}

}  // namespace
}  // namespace lockstep
