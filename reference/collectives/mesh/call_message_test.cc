#include "reference/collectives/mesh/call_message.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/error_testing.h"
#include "reference/collectives/mesh/operation_queue.h"

namespace lockstep::collectives_internal {
namespace {

// The message as another worker receives it.
CallMessage Received(CallMessage& sent) {
  CallMessage received;
  std::memcpy(received.data(), sent.data(), sent.bytes());
  return received;
}

const std::vector<SentSpec> kSpecs = {
    {.spec = {.shape = Shape{2, 3}, .dtype = DType::kInt64}},
    {.spec = {.shape = Shape{}, .dtype = DType::kString}, .string_bytes = 9}};

TEST(CallMessageTest, ContainsWhatFits) {
  CallMessage mine;
  mine.Write({.operation = Operation::kBroadcast,
              .parameter = -1,
              .payload_bytes = 128},
             DescribeSpecs(kSpecs));
  // 64 of the header, 28 of the description rounded up, 128.
  EXPECT_EQ(mine.bytes(), 256u);
  std::memset(mine.payload(), 7, 128);
  CallMessage theirs = Received(mine);
  EXPECT_EQ(theirs.header().operation, Operation::kBroadcast);
  EXPECT_EQ(theirs.header().parameter, -1);
  EXPECT_EQ(theirs.header().payload_bytes, 128u);
  EXPECT_EQ(ReadSpecs(theirs.description()), kSpecs);
  EXPECT_EQ(theirs.payload()[127], std::byte{7});
}

TEST(CallMessageTest, OmitsWhatDoesNotFit) {
  CallMessage mine;
  // The header, a description of one unit, and all the rest but one byte.
  const size_t room = kMessageBytes - 2 * 64;
  mine.Write({.payload_bytes = room}, "x");
  EXPECT_EQ(mine.bytes(), kMessageBytes);
  mine.Write({.payload_bytes = room + 1}, "x");
  EXPECT_EQ(mine.payload(), nullptr);
  EXPECT_EQ(mine.bytes(), 128u);
  EXPECT_TRUE(mine.header().description_inside);
  mine.Write({.payload_bytes = 1}, std::string(kMessageBytes, 'x'));
  EXPECT_EQ(mine.bytes(), 64u);
  EXPECT_FALSE(mine.header().description_inside);
  EXPECT_EQ(mine.header().description_bytes, kMessageBytes);
}

TEST(CallMessageTest, DifferentSpecsHaveDifferentHashes) {
  CallMessage one, other;
  one.Write({}, DescribeSpecs(kSpecs));
  other.Write({}, DescribeSpecs({kSpecs[0], kSpecs[0]}));
  EXPECT_NE(one.header().description_hash, other.header().description_hash);
}

TEST(CallMessageTest, DamagedMessagesAreDataLoss) {
  const std::string whole = DescribeSpecs(kSpecs);
  for (size_t length = 1; length < whole.size(); ++length) {
    if (length == 18) continue;  // the first tensor alone
    ExpectError([&] { ReadSpecs(whole.substr(0, length)); }, Code::kDataLoss,
                "is truncated");
  }
  ExpectError([&] { ReadSpecs("\x09"); }, Code::kDataLoss, "element type 9");
  ExpectError([&] { ReadSpecs(std::string("\0\x09", 2)); }, Code::kDataLoss,
              "rank 9");
  std::string negative = DescribeSpecs({kSpecs[0]});
  negative[9] = '\xff';
  ExpectError([&] { ReadSpecs(negative); }, Code::kDataLoss,
              "invalid dimension -");
  CallMessage message;
  CallHeader header = {.payload_inside = 1, .payload_bytes = 1};
  std::memcpy(message.data(), &header, sizeof(header));
  ExpectError([&] { message.header(); }, Code::kDataLoss, "is inconsistent");
  header = {.description_inside = 1, .description_bytes = kMessageBytes};
  std::memcpy(message.data(), &header, sizeof(header));
  ExpectError([&] { message.header(); }, Code::kDataLoss, "is inconsistent");
  header = {.failed = 100};
  std::memcpy(message.data(), &header, sizeof(header));
  ExpectError([&] { message.header(); }, Code::kDataLoss, "is inconsistent");
}

TEST(OperationQueueTest, RunsInOrderAndThrowsFromWait) {
  OperationQueue queue;
  std::vector<int> done;
  auto first = queue.Add([&] { done.push_back(1); });
  auto failing = queue.Add([&] {
    done.push_back(2);
    throw DataLoss("[Test] {}", "broken");
  });
  auto last = queue.Add([&] { done.push_back(3); });
  queue.Drain();
  EXPECT_EQ(done, (std::vector<int>{1, 2, 3}));
  first->Wait();
  ExpectError([&] { failing->Wait(); }, Code::kDataLoss, "[Test] broken");
  failing->Wait();  // throws only once
  last->Wait();
}

TEST(OperationQueueTest, EndsWhenAllOperationsAreDone) {
  std::atomic<int> done = 0;
  {
    OperationQueue queue;
    for (int i = 0; i < 10; ++i) {
      queue.Add([&] { done.fetch_add(1); });
    }
  }
  EXPECT_EQ(done.load(), 10);
}

}  // namespace
}  // namespace lockstep::collectives_internal
