#include "datasets/data_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

TEST(DataFolderTest, TheMostSpecificVariableWins) {
  setenv("HOME", "home", 1);
  setenv("XDG_CACHE_HOME", "cache", 1);
  setenv("LOCKSTEP_DATA_DIR", "data", 1);
  EXPECT_EQ(DefaultDataFolder(), "data");
  setenv("LOCKSTEP_DATA_DIR", "", 1);
  EXPECT_EQ(DefaultDataFolder(), "cache/lockstep/datasets");
  unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(DefaultDataFolder(), "home/.cache/lockstep/datasets");
  unsetenv("HOME");
  ExpectError([] { DefaultDataFolder(); }, Code::kFailedPrecondition,
              "[DataFolder] none of LOCKSTEP_DATA_DIR");
}

}  // namespace
}  // namespace lockstep
