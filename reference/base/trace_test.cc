#include "reference/base/trace.h"

#include <gtest/gtest.h>

#include <thread>

namespace lockstep {
namespace {

TEST(TraceTest, SpansEndInsideOutAndLieWithinEachOther) {
  TraceTrack track;
  {
    TraceScope scope(&track);
    TraceSpan outer("step", "phase");
    { TraceSpan first("conv2d", "layer"); }
    { TraceSpan second("dense", "layer"); }
  }
  ASSERT_EQ(track.spans().size(), 3u);
  const CompletedSpan& first = track.spans()[0];
  const CompletedSpan& second = track.spans()[1];
  const CompletedSpan& outer = track.spans()[2];
  EXPECT_EQ(first.name, "conv2d");
  EXPECT_EQ(first.category, "layer");
  EXPECT_EQ(second.name, "dense");
  EXPECT_EQ(outer.name, "step");
  EXPECT_LE(outer.start, first.start);
  EXPECT_LE(first.start, first.end);
  EXPECT_LE(first.end, second.start);
  EXPECT_LE(second.end, outer.end);
}

TEST(TraceTest, NothingIsKeptWhereNobodyAsks) {
  TraceTrack track;
  {
    TraceScope scope(&track);
    TraceScope nowhere(nullptr);
    TraceSpan span("conv2d", "layer");
    EXPECT_FALSE(span.wanted());
  }
  EXPECT_TRUE(track.spans().empty());
  EXPECT_EQ(TraceTrack::Current(), nullptr);
}

TEST(TraceTest, AScopeIsForItsThreadAlone) {
  TraceTrack track;
  TraceScope scope(&track);
  TraceTrack* elsewhere = &track;
  std::thread([&] { elsewhere = TraceTrack::Current(); }).join();
  EXPECT_EQ(elsewhere, nullptr);
  EXPECT_EQ(TraceTrack::Current(), &track);
}

TEST(TraceTest, TellsTheInnermostName) {
  TraceTrack track;
  TraceScope scope(&track);
  EXPECT_EQ(track.innermost(), "");
  TraceSpan outer("model", "layer");
  {
    TraceSpan inner("dense", "layer");
    EXPECT_EQ(track.innermost(), "dense");
  }
  EXPECT_EQ(track.innermost(), "model");
}

TEST(TraceTest, KeepsBytesWhereTheyWereGiven) {
  TraceTrack track;
  {
    TraceScope scope(&track);
    TraceSpan plain("Read", "io");
    TraceSpan sized("AllReduce", "communication");
    ASSERT_TRUE(sized.wanted());
    sized.set_bytes(48);
  }
  EXPECT_EQ(track.spans()[0].bytes, 48);
  EXPECT_EQ(track.spans()[1].bytes, std::nullopt);
}

}  // namespace
}  // namespace lockstep
