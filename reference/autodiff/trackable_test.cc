#include "reference/autodiff/trackable.h"

#include <gtest/gtest.h>

#include "reference/base/error.h"

namespace lockstep {
namespace {

class Recorder : public PendingRestore {
 public:
  void OnChildTracked(Trackable&, const std::string& name,
                      Trackable& child) override {
    names.push_back(name);
    last = &child;
  }
  std::vector<std::string> names;
  Trackable* last = nullptr;
};

TEST(TrackableTest, ChildrenComeInTheOrderTheyWereTracked) {
  Trackable part_a, part_b, root;
  root.TrackChild("b", part_b);
  root.TrackChild("a", part_a);
  root.TrackChild("again", part_b);
  ASSERT_EQ(root.children().size(), 3u);
  EXPECT_EQ(root.children()[0].name, "b");
  EXPECT_EQ(root.children()[1].name, "a");
  EXPECT_EQ(root.children()[2].object, &part_b);
}

TEST(TrackableTest, ANameBelongsToOneObject) {
  Trackable part_a, part_b, root;
  root.TrackChild("a", part_a);
  root.TrackChild("a", part_a);
  EXPECT_EQ(root.children().size(), 1u);
  try {
    root.TrackChild("a", part_b);
    FAIL() << "a taken name was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    EXPECT_NE(std::string(error.what()).find("'a'"), std::string::npos);
  }
}

TEST(TrackableTest, PendingRestoresHearOfLaterPartsOnly) {
  Trackable early, late, root;
  root.TrackChild("early", early);
  const auto restore = std::make_shared<Recorder>();
  root.AddPendingRestore(restore);
  root.TrackChild("late", late);
  EXPECT_EQ(restore->names, std::vector<std::string>{"late"});
  EXPECT_EQ(restore->last, &late);
  root.TrackChild("late", late);
  EXPECT_EQ(restore->names.size(), 1u);
}

TEST(TrackableTest, APlainNodeHasNoValues) {
  Trackable node;
  EXPECT_TRUE(node.values().empty());
  EXPECT_TRUE(node.slots().empty());
}

}  // namespace
}  // namespace lockstep
