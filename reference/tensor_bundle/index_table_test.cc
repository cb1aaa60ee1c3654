#include "reference/tensor_bundle/index_table.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/tensor_bundle/bundle_testing.h"

namespace lockstep::tensor_bundle_internal {
namespace {

TEST(IndexTableTest, RewritingTensorFlowsIndexGivesTheSameBytes) {
  for (const char* name :
       {"plain_variables/ckpt-1", "module/ckpt-1", "dense_sgd_momentum/ckpt-1",
        "distributed_variables/ckpt-1", "manager/ckpt-3"}) {
    const std::string bytes =
        ReadWholeFile(TensorFlowFile(std::string(name) + ".index"));
    EXPECT_EQ(BuildIndexTable(ParseIndexTable(bytes, name)), bytes) << name;
  }
}

TEST(IndexTableTest, NoEntriesAreATableToo) {
  EXPECT_TRUE(ParseIndexTable(BuildIndexTable({}), "empty").empty());
}

TEST(IndexTableTest, ManyBlocksComeBack) {
  IndexEntries entries;
  for (int i = 0; i < 20000; ++i) {
    entries["layer/" + std::to_string(i)] = std::string(40, char('a' + i % 26));
  }
  EXPECT_EQ(ParseIndexTable(BuildIndexTable(entries), "large"), entries);
}

TEST(IndexTableTest, WhatIsNoTableIsDataLoss) {
  ExpectError([] { ParseIndexTable("", "a.index"); }, Code::kDataLoss,
              "a.index");
  ExpectError([] { ParseIndexTable(std::string(1000, 'x'), "a.index"); },
              Code::kDataLoss, "a.index");
}

TEST(IndexTableTest, ABlockPastTheEndIsNotAllocated) {
  const std::string intact = BuildIndexTable({{"v", "entry"}});
  // Both handles anew: offset 0 and a size, of 2^31 and of 2^62 bytes.
  for (const std::string& size :
       {std::string("\x80\x80\x80\x80\x08"),
        std::string("\x80\x80\x80\x80\x80\x80\x80\x80\x40")}) {
    const std::string handle = std::string(1, '\0') + size;
    std::string handles = handle + handle;
    handles.resize(40);
    std::string bytes = intact;
    bytes.replace(bytes.size() - 48, 40, handles);
    ExpectError([&] { ParseIndexTable(bytes, "a.index"); }, Code::kDataLoss,
                "bytes of blocks hold none of");
  }
}

RC_GTEST_PROP(IndexTableTest, AnyEntriesComeBack,
              (const IndexEntries& entries)) {
  RC_ASSERT(ParseIndexTable(BuildIndexTable(entries), "random") == entries);
}

// A footer (two block handles, padding, the table's magic number) that points
// anywhere must not be followed out of the file.
RC_GTEST_PROP(IndexTableTest, ArbitraryBytesBeforeTheMagicNumberAreDataLoss,
              (std::string bytes)) {
  bytes.resize(bytes.size() + 40);
  bytes += "\x57\xfb\x80\x8b\x24\x75\x47\xdb";
  try {
    ParseIndexTable(bytes, "random");
    RC_FAIL("random bytes were taken for a table");
  } catch (const Error& error) {
    RC_ASSERT(error.code() == Code::kDataLoss);
  }
}

}  // namespace
}  // namespace lockstep::tensor_bundle_internal
