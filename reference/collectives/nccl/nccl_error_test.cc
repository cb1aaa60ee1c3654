#include "reference/collectives/nccl/nccl_error.h"

#include <gtest/gtest.h>

#include <vector>

namespace lockstep {
namespace {

TEST(NcclErrorTest, EveryFailureHasACodeAndAName) {
  struct Case {
    NcclStatus status;
    Code code;
    const char* message;
  };
  const std::vector<Case> cases = {
      {NcclStatus::kUnhandledCudaError, Code::kInternal,
       "[Broadcast] NCCL: unhandled CUDA error (why)"},
      {NcclStatus::kSystemError, Code::kUnavailable,
       "[Broadcast] NCCL: system error (why)"},
      {NcclStatus::kInternalError, Code::kInternal,
       "[Broadcast] NCCL: internal error (why)"},
      {NcclStatus::kInvalidArgument, Code::kInvalidArgument,
       "[Broadcast] NCCL: invalid argument (why)"},
      {NcclStatus::kInvalidUsage, Code::kInvalidArgument,
       "[Broadcast] NCCL: invalid usage (why)"},
      {NcclStatus::kRemoteError, Code::kUnavailable,
       "[Broadcast] NCCL: remote error (why)"}};
  for (const Case& c : cases) {
    const Error error = NcclFailure("Broadcast", c.status, "why");
    EXPECT_EQ(error.code(), c.code);
    EXPECT_STREQ(error.what(), c.message);
    EXPECT_THROW(CheckNccl("Broadcast", c.status), Error);
  }
  EXPECT_STREQ(NcclFailure("AllGather", NcclStatus::kRemoteError, "").what(),
               "[AllGather] NCCL: remote error");
}

TEST(NcclErrorTest, SuccessAndProgressAreNoErrors) {
  EXPECT_NO_THROW(CheckNccl("AllReduce", NcclStatus::kSuccess));
  EXPECT_NO_THROW(CheckNccl("AllReduce", NcclStatus::kInProgress));
  EXPECT_EQ(NcclStatusName(NcclStatus::kSuccess), "success");
  EXPECT_EQ(NcclStatusName(NcclStatus::kInProgress), "in progress");
}

TEST(NcclErrorTest, VersionsAreDecoded) {
  EXPECT_EQ(FormatNcclVersion(22809), "2.28.9");
  EXPECT_EQ(FormatNcclVersion(23003), "2.30.3");
}

}  // namespace
}  // namespace lockstep
