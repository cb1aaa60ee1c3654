#include "text_datasets/debian_mirrors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(MirrorsInTest, EachIsThereOnceWithASlash) {
  EXPECT_THAT(
      MirrorsIn("http://a/debian\nhttps://b/\nhttp://a/debian/\nfile:/srv/c"),
      testing::ElementsAre("http://a/debian/", "https://b/", "file:/srv/c/"));
}

TEST(MirrorsInTest, WhatCannotBeDownloadedFromIsLeftOut) {
  EXPECT_THAT(MirrorsIn("cdrom:[Debian]/\n\nmirror+file:/etc/list\n"),
              testing::IsEmpty());
}

}  // namespace
}  // namespace lockstep
