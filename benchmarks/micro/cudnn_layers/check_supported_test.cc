#include "benchmarks/micro/cudnn_layers/check_supported.h"

#include <gtest/gtest.h>

#include <string_view>

namespace lockstep::benchmarks {
namespace {

void ExpectCode(cudnnStatus_t status, Code code) {
  try {
    CheckSupported(status, "[Test]");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_TRUE(std::string_view(error.what()).starts_with("[Test]: CUDNN_"))
        << error.what();
  }
}

TEST(CheckSupportedTest, WhatTheLibraryHasNotIsUnimplemented) {
  ExpectCode(CUDNN_STATUS_NOT_SUPPORTED, Code::kUnimplemented);
  ExpectCode(CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE, Code::kUnimplemented);
}

TEST(CheckSupportedTest, WhatWentWrongIsInternal) {
  ExpectCode(CUDNN_STATUS_BAD_PARAM, Code::kInternal);
  ExpectCode(CUDNN_STATUS_EXECUTION_FAILED, Code::kInternal);
}

TEST(CheckSupportedTest, SuccessThrowsNothing) {
  EXPECT_NO_THROW(CheckSupported(CUDNN_STATUS_SUCCESS, "[Test]"));
}

}  // namespace
}  // namespace lockstep::benchmarks
