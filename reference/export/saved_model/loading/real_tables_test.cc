// Tables of SavedModels whose files were changed. The model is one of Keras 3.15.1
// (testdata/README.md) with a vocabulary in a file.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/export/saved_model/loading/load_saved_model.h"
#include "reference/export/saved_model/saved_model.pb.h"

namespace lockstep {
namespace {

using saved_model::MetaGraphDef;

class ChangedTableTest : public testing::Test {
 protected:
  ChangedTableTest() {
    std::filesystem::copy(
        "reference/export/saved_model/loading/testdata/word_file_keras",
        folder_ / "model", std::filesystem::copy_options::recursive);
  }
  std::vector<int64_t> Ids() const {
    const SavedModel model = LoadSavedModel(folder_ / "model");
    const Tensor words = Tensor::FromVector<std::string>({"b", "a"}, {1, 2});
    return model.Run({{"words", words}}).at("output_0").ToVector<int64_t>();
  }
  void SetFile(const std::string& bytes) {
    const std::string path = folder_ / "model/assets/vocab.txt";
    std::filesystem::remove(path);
    WriteWholeFile(path, bytes);
  }
  void Change(const std::function<void(MetaGraphDef&)>& change) {
    const std::string path = folder_ / "model/saved_model.pb";
    saved_model::SavedModel file;
    ASSERT_TRUE(file.ParseFromString(ReadWholeFile(path)));
    change(*file.mutable_meta_graphs(0));
    std::filesystem::remove(path);
    WriteWholeFile(path, file.SerializeAsString());
  }
  void ExpectRefused(Code code, const std::string& words) {
    ExpectError([&] { LoadSavedModel(folder_ / "model"); }, code, words);
  }
  // Each node of this operation, in functions.
  static void ForNodes(
      MetaGraphDef& graph, const std::string& op,
      const std::function<void(saved_model::NodeDef&)>& visit) {
    auto& library = *graph.mutable_graph_def()->mutable_library();
    for (auto& function : *library.mutable_function()) {
      for (auto& node : *function.mutable_node_def()) {
        if (node.op() == op) visit(node);
      }
    }
  }

  TestFolder folder_;
};

TEST_F(ChangedTableTest, ReadsTheFile) {
  EXPECT_EQ(Ids(), (std::vector<int64_t>{2, 1}));
  SetFile("x\r\nb");
  EXPECT_EQ(Ids(), (std::vector<int64_t>{2, 0}));
  SetFile("a\na\n");
  ExpectRefused(Code::kDataLoss, "entry 1 of a table has the key of entry 0");
  std::filesystem::remove_all(folder_ / "model/assets");
  ExpectRefused(Code::kNotFound, "vocab.txt");
}

TEST_F(ChangedTableTest, FilesOutsideOfAssetsAreRefused) {
  Change([](MetaGraphDef& graph) {
    graph.mutable_asset_file_def(0)->set_filename("../saved_model.pb");
  });
  ExpectRefused(Code::kDataLoss, "has the name '../saved_model.pb'");
  Change([](MetaGraphDef& graph) { graph.clear_asset_file_def(); });
  ExpectRefused(Code::kDataLoss, "there is no asset 0 of 0");
}

TEST_F(ChangedTableTest, OtherTablesAreRefused) {
  Change([](MetaGraphDef& graph) {
    ForNodes(graph, "InitializeTableFromTextFileV2",
             [](auto& node) { (*node.mutable_attr())["key_index"].set_i(1); });
  });
  ExpectRefused(Code::kUnimplemented, "is not a list of words or int64");
  Change([](MetaGraphDef& graph) {
    ForNodes(graph, "InitializeTableFromTextFileV2",
             [](auto& node) { node.set_op("NoOp"); });
  });
  ExpectRefused(Code::kUnimplemented, "is not filled with constants or a text");
  Change([](MetaGraphDef& graph) {
    ForNodes(graph, "HashTableV2",
             [](auto& node) { node.set_op("MutableDenseHashTableV2"); });
  });
  ExpectRefused(Code::kUnimplemented,
                "it is made by MutableDenseHashTableV2. Tables that change are "
                "not supported: give the layer its vocabulary, then export");
}

}  // namespace
}  // namespace lockstep
