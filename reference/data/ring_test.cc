#include "reference/data/ring.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>

namespace lockstep::data_internal {
namespace {

TEST(RingTest, ItemsComeInOrderForAnyCapacity) {
  for (const uint32_t capacity : {1u, 2u, 3u, 64u}) {
    Ring<int> ring(capacity);
    std::thread maker([&] {
      for (int i = 0; i < 20000; ++i) ring.Push(i);
      ring.CloseByMaker();
    });
    int value = -1;
    for (int i = 0; i < 20000; ++i) {
      ASSERT_TRUE(ring.Pop(&value));
      ASSERT_EQ(value, i);
    }
    EXPECT_FALSE(ring.Pop(&value));
    EXPECT_FALSE(ring.Pop(&value));
    maker.join();
  }
}

TEST(RingTest, ClosingByTheMakerLetsTheRestBeTaken) {
  Ring<int> ring(2);
  ring.Push(7);
  ring.CloseByMaker();
  int value = 0;
  EXPECT_TRUE(ring.Pop(&value));
  EXPECT_EQ(value, 7);
  EXPECT_FALSE(ring.Pop(&value));
}

TEST(RingTest, ClosingByTheTakerReleasesASleepingMaker) {
  Ring<int> ring(1);
  bool pushed = true;
  std::thread maker([&] {
    ring.Push(1);
    pushed = ring.Push(2);  // waits: the ring is full
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ring.CloseByTaker();
  maker.join();
  EXPECT_FALSE(pushed);
  EXPECT_FALSE(ring.Push(3));
}

TEST(RingTest, ASleepingTakerIsWoken) {
  Ring<int> ring(1);
  int value = 0;
  std::thread taker([&] { ring.Pop(&value); });
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ring.Push(5);
  taker.join();
  EXPECT_EQ(value, 5);
}

TEST(RingTest, TakenItemsAreNotKept) {
  Ring<std::shared_ptr<int>> ring(2);
  auto item = std::make_shared<int>(1);
  ring.Push(item);
  std::shared_ptr<int> taken;
  ring.Pop(&taken);
  taken.reset();
  EXPECT_EQ(item.use_count(), 1);
}

}  // namespace
}  // namespace lockstep::data_internal
