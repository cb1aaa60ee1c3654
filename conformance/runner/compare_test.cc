#include "conformance/runner/compare.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

Json J(const char* text) { return Json::parse(text); }

TEST(CompareTest, EqualValuesDoNotDiffer) {
  for (const char* text :
       {"1", "1.5", "true", "null", "\"NaN\"", "[]", "[[1,2],[]]",
        R"({"a":1,"b":[2]})", "9007199254740993"}) {
    EXPECT_EQ(DiffEquals(J(text), J(text)), std::nullopt) << text;
  }
}

TEST(CompareTest, NumbersAreComparedByValue) {
  EXPECT_EQ(DiffEquals(J("1"), J("1.0")), std::nullopt);
  EXPECT_EQ(DiffEquals(J("0"), J("-0.0")), std::nullopt);
  EXPECT_EQ(DiffEquals(J("1"), J("1.0000000001")),
            "expected 1, observed 1.0000000001");
}

TEST(CompareTest, LargeIntegersAreExact) {
  EXPECT_EQ(DiffEquals(J("9007199254740993"), J("9007199254740992")),
            "expected 9007199254740993, observed 9007199254740992");
}

TEST(CompareTest, KindsDiffer) {
  EXPECT_EQ(DiffEquals(J("1"), J("true")), "expected 1, observed true");
  EXPECT_EQ(DiffEquals(J("0"), J("null")), "expected 0, observed null");
  EXPECT_EQ(DiffEquals(J("[1]"), J("1")), "expected [1], observed 1");
  EXPECT_EQ(DiffEquals(J("\"NaN\""), J("0")), "expected \"NaN\", observed 0");
}

TEST(CompareTest, DifferenceNamesItsPlace) {
  EXPECT_EQ(DiffEquals(J("[[2,2],[1,1]]"), J("[[2,2],[2,0]]")),
            "at [1][0]: expected 1, observed 2");
  EXPECT_EQ(DiffEquals(J(R"([{"a":[1]}])"), J(R"([{"a":[3]}])")),
            "at [0].a[0]: expected 1, observed 3");
}

TEST(CompareTest, ListsOfUnequalLengthDiffer) {
  EXPECT_EQ(DiffEquals(J("[[1],[2]]"), J("[[1],[2,3]]")),
            "at [1]: expected 1 entries, observed 2");
  EXPECT_EQ(DiffEquals(J("[]"), J("[[]]")), "expected 0 entries, observed 1");
}

TEST(CompareTest, ObjectsOfUnequalKeysDiffer) {
  EXPECT_EQ(DiffEquals(J(R"({"a":1,"b":2})"), J(R"({"a":1})")),
            "at .b: expected 2, observed nothing");
  EXPECT_EQ(DiffEquals(J(R"({"a":1})"), J(R"({"a":1,"b":2})")),
            "at .b: expected nothing, observed 2");
  EXPECT_EQ(DiffEquals(J(R"({"a":1,"b":2})"), J(R"({"b":2,"a":1})")),
            std::nullopt);
}

TEST(CompareTest, CloseKeepsItsTolerance) {
  EXPECT_EQ(DiffClose(J("[100]"), J("[101]"), 0.01, 0), std::nullopt);
  EXPECT_NE(DiffClose(J("[100]"), J("[101.1]"), 0.01, 0), std::nullopt);
  EXPECT_EQ(DiffClose(J("-2"), J("-2.5"), 0, 0.5), std::nullopt);
  EXPECT_NE(DiffClose(J("-2"), J("-2.6"), 0, 0.5), std::nullopt);
}

TEST(CompareTest, NotANumberIsCloseToItselfOnly) {
  EXPECT_EQ(DiffClose(J("\"NaN\""), J("\"NaN\""), 1, 1), std::nullopt);
  EXPECT_NE(DiffClose(J("\"NaN\""), J("1"), 1, 1), std::nullopt);
  EXPECT_NE(DiffClose(J("1"), J("\"Infinity\""), 1, 1), std::nullopt);
}

TEST(CompareTest, MultisetIgnoresOrderAndGrouping) {
  EXPECT_EQ(DiffSameMultiset(J("[1,2,2,3]"), J("[[2,3],[],[[1],[2]]]")),
            std::nullopt);
  EXPECT_EQ(DiffSameMultiset(J("[]"), J("[[],[]]")), std::nullopt);
  EXPECT_EQ(DiffSameMultiset(J("[\"a\",1]"), J("[1,\"a\"]")), std::nullopt);
}

TEST(CompareTest, MultisetCounts) {
  EXPECT_EQ(DiffSameMultiset(J("[1,2,3]"), J("[1,2]")),
            "3 occurs less often than expected");
  EXPECT_EQ(DiffSameMultiset(J("[1,2]"), J("[1,2,2]")),
            "2 occurs more often than expected");
  EXPECT_EQ(DiffSameMultiset(J("[1,3]"), J("[1,2,3]")),
            "2 occurs more often than expected");
  EXPECT_EQ(DiffSameMultiset(J("[1,2,3]"), J("[1,1,3]")),
            "1 occurs more often than expected");
}

TEST(CompareTest, IntegersAreToldApartExactly) {
  EXPECT_NE(DiffEquals(J("18446744073709551615"), J("-1")), std::nullopt);
  EXPECT_NE(DiffEquals(J("9007199254740993"), J("9007199254740992.0")),
            std::nullopt);
  EXPECT_EQ(DiffEquals(J("9007199254740992"), J("9007199254740992.0")),
            std::nullopt);
  EXPECT_EQ(DiffSameMultiset(J("[9007199254740993, 9007199254740992.0, -1,"
                               " 18446744073709551615]"),
                             J("[-1, 18446744073709551615, 9007199254740992.0,"
                               " 9007199254740993]")),
            std::nullopt);
}

TEST(CompareTest, ADifferenceIsOneReadableLine) {
  const std::string text =
      DiffEquals(J("1"), Json(std::string(5000, 'x') + "\u009b")).value();
  EXPECT_EQ(text.find("expected 1, observed \"xxx"), 0u);
  EXPECT_LT(text.size(), 1100u);
  EXPECT_EQ(DiffEquals(J("1"), Json("\u009b2J")),
            "expected 1, observed \"\\u009b2J\"");
}

TEST(CompareTest, MultiplesOfANumber) {
  EXPECT_EQ(DiffMultipleOf(3, J("[0,[3],6.0,-9]")), std::nullopt);
  EXPECT_EQ(DiffMultipleOf(3, J("[3,4]")), "4 is no multiple of 3");
  EXPECT_EQ(DiffMultipleOf(3, J("\"NaN\"")), "\"NaN\" is no multiple of 3");
  EXPECT_EQ(DiffMultipleOf(3, J("[]")), "there is no number");
}

TEST(CompareTest, SameOnAllReplicas) {
  EXPECT_EQ(DiffSameOnAllReplicas(J("[[1,2],[1,2],[1,2]]")), std::nullopt);
  EXPECT_EQ(DiffSameOnAllReplicas(J("[[1,2],[1,2],[1,3]]")),
            "replica 2 differs from replica 0: at [1]: expected 2, observed 3");
  EXPECT_EQ(DiffSameOnAllReplicas(J("[]")),
            "expected one entry a replica, observed []");
  EXPECT_EQ(DiffSameOnAllReplicas(J("7")),
            "expected one entry a replica, observed 7");
}

TEST(CompareTest, SameOnAllReplicasInEachRound) {
  EXPECT_EQ(DiffSameOnAllReplicasInEachRound(J("[[1,1],[2,2]]")), std::nullopt);
  EXPECT_EQ(DiffSameOnAllReplicasInEachRound(J("[[1,1],[2,1]]")),
            "round 1: replica 1 differs from replica 0: expected 2, observed "
            "1");
  EXPECT_EQ(DiffSameOnAllReplicasInEachRound(J("[]")),
            "expected a list of rounds, observed []");
}

}  // namespace
}  // namespace lockstep
