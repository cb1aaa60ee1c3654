#include "reference/collectives/piece_list.h"

#include <gtest/gtest.h>

#include <array>

namespace lockstep::collectives_internal {
namespace {

using Piece = std::array<int64_t, 3>;  // tensor, first element, count

std::vector<Piece> Pieces(const PieceList& list, int64_t begin, int64_t end) {
  std::vector<Piece> pieces;
  list.ForEach(begin, end, [&](size_t tensor, int64_t first, int64_t count) {
    pieces.push_back({static_cast<int64_t>(tensor), first, count});
  });
  return pieces;
}

TEST(PieceListTest, CutsAtUnitsOf64Bytes) {
  // 40 floats are 2.5 units, so 3; 3 doubles are one; nothing is none.
  const PieceList list({Tensor::Zeros(Shape{40}), Tensor::Zeros(Shape{0}),
                        Tensor::Zeros(Shape{3}, DType::kFloat64)});
  EXPECT_EQ(list.units(), 4);
  EXPECT_EQ(list.bytes(), 256);
  EXPECT_EQ(Pieces(list, 0, 4), (std::vector<Piece>{{0, 0, 40}, {2, 0, 3}}));
  EXPECT_EQ(Pieces(list, 0, 2), (std::vector<Piece>{{0, 0, 32}}));
  EXPECT_EQ(Pieces(list, 2, 4), (std::vector<Piece>{{0, 32, 8}, {2, 0, 3}}));
  EXPECT_EQ(Pieces(list, 3, 3), (std::vector<Piece>{}));
}

TEST(PieceListTest, PartsCoverEverythingOnce) {
  std::vector<Tensor> tensors;
  for (int64_t count : {1, 0, 16, 17, 1000, 3, 0}) {
    tensors.push_back(Tensor::Zeros(Shape{count}));
  }
  const PieceList list(tensors);
  for (int parts : {1, 2, 3, 5, 100}) {
    std::vector<int64_t> next(tensors.size(), 0);
    for (int part = 0; part < parts; ++part) {
      for (const Piece& piece : Pieces(list, list.units() * part / parts,
                                       list.units() * (part + 1) / parts)) {
        EXPECT_EQ(piece[1], next[piece[0]]);
        next[piece[0]] += piece[2];
      }
    }
    for (size_t i = 0; i < tensors.size(); ++i) {
      EXPECT_EQ(next[i], tensors[i].num_elements()) << parts;
    }
  }
}

TEST(PieceListTest, NoTensorsAreNoPieces) {
  const PieceList list({});
  EXPECT_EQ(list.units(), 0);
  EXPECT_TRUE(Pieces(list, 0, 0).empty());
}

}  // namespace
}  // namespace lockstep::collectives_internal
