#include "reference/collectives/nccl/nccl_id_exchange.h"

#include <gtest/gtest.h>

#include <thread>

#include "reference/base/error.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong{600'000};

NcclUniqueId MakeId() {
  NcclUniqueId id;
  id.bytes = {'a', 'b'};
  return id;
}

NcclUniqueId MakeNothing() {
  throw Unavailable("[Test] {}", "no id to be had");
}

TEST(NcclIdExchangeTest, OnePartyGetsWhatItMakes) {
  InProcessNcclIdExchange exchange;
  EXPECT_EQ(exchange.Exchange(true, MakeId, kLong), MakeId());
}

TEST(NcclIdExchangeTest, OthersGetTheRootsIdWhoeverComesFirst) {
  for (const bool root_first : {true, false}) {
    InProcessNcclIdExchange exchange;
    NcclUniqueId got;
    if (root_first) exchange.Exchange(true, MakeId, kLong);
    std::thread other(
        [&] { got = exchange.Exchange(false, MakeNothing, kLong); });
    if (!root_first) exchange.Exchange(true, MakeId, kLong);
    other.join();
    EXPECT_EQ(got, MakeId());
  }
}

TEST(NcclIdExchangeTest, AFailedRootReleasesTheOthers) {
  InProcessNcclIdExchange exchange;
  Code code = Code::kInternal;
  std::thread other([&] {
    try {
      exchange.Exchange(false, MakeId, kLong);
    } catch (const Error& error) {
      code = error.code();
    }
  });
  EXPECT_THROW(exchange.Exchange(true, MakeNothing, kLong), Error);
  other.join();
  EXPECT_EQ(code, Code::kUnavailable);
}

TEST(NcclIdExchangeTest, NobodyWaitsBeyondTheDeadline) {
  InProcessNcclIdExchange exchange;
  try {
    exchange.Exchange(false, MakeId, milliseconds(5));
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kDeadlineExceeded);
    EXPECT_STREQ(error.what(),
                 "[NcclIdExchange] no id from the root within 5 ms");
  }
}

}  // namespace
}  // namespace lockstep
