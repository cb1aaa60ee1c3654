// Embeddings train the same on any number of replicas, each of which looks up other
// rows.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/layers/transformer/embedding.h"
#include "reference/optimizers/update_rules.h"

namespace lockstep {
namespace {

// A table of 5 rows on several replicas, with initial values of 0.
struct EmbeddingProgram {
  explicit EmbeddingProgram(int replicas) : strategy(MakeStrategy(replicas)) {
    const StrategyScope scope = strategy->Scope();
    embedding.emplace(
        5, 2,
        EmbeddingOptions{.embeddings_initializer = initializers::Zeros()});
    embedding->Build(Shape{kUnknownDim});
    optimizer.emplace(SgdOptions{.learning_rate = 1.0});
  }

  // A step whose gradient is 1 for each element that a replica looks up.
  void Step(const std::vector<Tensor>& ids) {
    strategy->Run(
        [this](const Tensor& mine) {
          const std::vector<VariablePtr> variables = embedding->variables();
          GradientTape tape;
          const Tensor rows = (*embedding)(mine);
          VariableGradients gradients = tape.SparseGradient(rows, variables);
          EXPECT_TRUE(std::holds_alternative<IndexedSlices>(*gradients[0]));
          optimizer->ApplyGradients(ZipRows(gradients, variables));
        },
        Tensors(ids));
  }

  std::vector<std::string> Tables() {
    std::vector<std::string> tables;
    for (const Tensor& table :
         strategy->Run([this] { return embedding->variables()[0]->Read(); })) {
      tables.push_back(ToString(table));
    }
    return tables;
  }

  std::unique_ptr<MirroredStrategy> strategy;
  std::optional<Embedding> embedding;
  std::optional<Sgd> optimizer;
};

Tensor Ids(const std::vector<int64_t>& ids) { return Tensor::FromVector(ids); }

constexpr char kLearnt[] = "[[-1, -1], [0, 0], [-3, -3], [0, 0], [-2, -2]]";

TEST(EmbeddingTrainingTest, RowsAreGatheredOverTheReplicas) {
  EmbeddingProgram one(1);
  one.Step({Ids({2, 0, 2, 4, 4, 2})});
  EXPECT_EQ(one.Tables(), std::vector<std::string>{kLearnt});
  EmbeddingProgram three(3);
  three.Step({Ids({2, 0, 2}), Ids({}), Ids({4, 4, 2})});
  EXPECT_EQ(three.Tables(), std::vector<std::string>(3, kLearnt));
}

}  // namespace
}  // namespace lockstep
