#include "http/buffer.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace kvgate::http {
namespace {

TEST(Buffer, GrowsAndKeepsItsBytes) {
  Buffer buffer(4);
  std::string expected;
  for (char c = 'a'; c <= 'z'; ++c) {
    buffer.append(std::string(100, c));
    expected += std::string(100, c);
  }
  EXPECT_EQ(buffer.view(), expected);
  EXPECT_EQ(buffer.room(), buffer.capacity() - buffer.size());
}

TEST(Buffer, ReservesAtLeastAndNeverShrinks) {
  Buffer buffer(10);
  buffer.append("abc");
  ASSERT_TRUE(buffer.reserve(1000));
  EXPECT_GE(buffer.capacity(), 1000u);
  ASSERT_TRUE(buffer.reserve(1));
  EXPECT_GE(buffer.capacity(), 1000u);
  EXPECT_EQ(buffer.view(), "abc");
}

TEST(Buffer, ErasesItsFront) {
  Buffer buffer(10);
  buffer.append("abcdef");
  buffer.erase_front(0);
  buffer.erase_front(4);
  EXPECT_EQ(buffer.view(), "ef");
  buffer.append("gh");
  buffer.erase_front(4);
  EXPECT_EQ(buffer.view(), "");
}

TEST(Buffer, BytesBehindTheEndAreReadable) {
  Buffer buffer(8);
  std::memset(buffer.end(), 'x', buffer.room());
  buffer.commit(8);
  std::memset(buffer.data() + buffer.capacity(), 0, Buffer::kSlack);   // the address sanitizer looks at this
  EXPECT_EQ(buffer.view(), "xxxxxxxx");
}

TEST(BufferPool, GivesTheSameBufferAgainEmpty) {
  BufferPool pool;
  auto first = pool.get();
  auto const* address = first.get();
  first->append("abc");
  first.reset();
  auto const again = pool.get();
  EXPECT_EQ(again.get(), address);
  EXPECT_EQ(again->size(), 0u);
  EXPECT_EQ(again->capacity(), kBufferSize);
}

TEST(BufferPool, DoesNotKeepBuffersThatGrew) {
  BufferPool pool;
  auto grown = pool.get();
  ASSERT_TRUE(grown->reserve(kBufferSize * 16));
  grown.reset();
  EXPECT_EQ(pool.get()->capacity(), kBufferSize);
}

TEST(BufferPool, BuffersInUseAreDistinct) {
  BufferPool pool;
  auto const a = pool.get(), b = pool.get();
  EXPECT_NE(a->data(), b->data());
}

}  // namespace
}  // namespace kvgate::http
