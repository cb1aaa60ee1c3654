#include "benchmarks/micro/layers/ratio_table.h"

#include <gtest/gtest.h>

namespace lockstep::benchmarks {
namespace {

TEST(RatioTableTest, PairsStandSideBySideWithTheirMedians) {
  EXPECT_EQ(
      RatioTable({{.name = "A/x:1/by:cudnn", .seconds = {8e-6, 9e-6, 1e-6}},
                  {.name = "B/by:own", .seconds = {30e-6}},
                  {.name = "A/x:1/by:own", .seconds = {2e-6, 4e-6}},
                  {.name = "B/by:cudnn", .seconds = {24e-6}},
                  {.name = "B/by:cudnn_persistent", .seconds = {300e-6}}}),
      "# own (us)  other (us)  own/other  entry\n"
      "      3.00        8.00      0.375  A/x:1/by:cudnn\n"
      "     30.00       24.00      1.250  B/by:cudnn\n"
      "     30.00      300.00      0.100  B/by:cudnn_persistent\n"
      "# own is the slower one in 1 of 3 pairs\n");
}

TEST(RatioTableTest, WhatWasNotMeasuredIsADash) {
  EXPECT_EQ(
      RatioTable({{.name = "A/by:cudnn", .error = "differs"},
                  {.name = "A/by:own", .seconds = {2e-6}},
                  {.name = "B/by:cudnn", .seconds = {1e-6}},
                  {.name = "C/by:own", .seconds = {1e-6}, .error = "broke off"},
                  {.name = "C/by:cudnn", .seconds = {1e-6}}}),
      "# own (us)  other (us)  own/other  entry\n"
      "      2.00           -          -  A/by:cudnn: differs\n"
      "         -        1.00          -  B/by:cudnn\n"
      "         -        1.00          -  C/by:cudnn\n"
      "# own is the slower one in 0 of 0 pairs\n");
}

}  // namespace
}  // namespace lockstep::benchmarks
