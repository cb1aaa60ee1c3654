// Words and numbers as input: analyzed, transformed, trained on, served.
//
//   ./bazelw run //examples:preprocessing
//
// writes four files of prices, finds in one pass over them what a price may
// depend on, trains a linear model on two replicas, saves it, and predicts
// prices as a server would: with the folder of the analysis and the file of the
// model, and nothing else. Several workers would share the pass, each reading
// its own files, if the scope were that of a MultiWorkerMirroredStrategy.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "command_line/parse.h"
#include "command_line/program.h"
#include "examples/training_options.h"
#include "reference/lockstep.h"

namespace lockstep::examples {
namespace {

struct Options {
  int epochs = 40;
  int replicas = 2;
  std::string folder;
};

constexpr std::array kColors = {"red", "green", "blue"};
constexpr int64_t kColorEntries = 4;  // one for unknown colors
constexpr int kFiles = 4;
constexpr int kRowsOfFile = 12;

// The price of a color, and 2 for each kilogram.
float PriceOf(int color, float weight) {
  return 10 * static_cast<float>(color) + 2 * weight;
}

// Lines such as "green 3.5 17".
void WriteFiles(const std::string& folder) {
  std::filesystem::create_directories(folder);
  for (int file = 0; file < kFiles; ++file) {
    std::ofstream lines(fmt::format("{}/prices-{}.txt", folder, file));
    for (int row = 0; row < kRowsOfFile; ++row) {
      const int color = (file + row) % 3;
      const float weight = 0.5f * static_cast<float>((5 * row + file) % 16);
      lines << fmt::format("{} {} {}\n", kColors[color], weight,
                           PriceOf(color, weight));
    }
  }
}

Structure RowOf(const std::string& color, float weight, float price) {
  return Structure::Dict({{"color", Tensor::Scalar(color)},
                          {"weight", Tensor::FromVector<float>({weight})},
                          {"price", Tensor::FromVector<float>({price})}});
}

Structure Parse(const Structure& line) {
  const auto text = line.leaf().item<std::string>();
  const size_t first = text.find(' '), second = text.find(' ', first + 1);
  return RowOf(text.substr(0, first), std::stof(text.substr(first + 1)),
               std::stof(text.substr(second + 1)));
}

Dataset ReadFiles(const std::string& folder) {
  return Dataset::ListFiles({folder + "/prices-*.txt"}, /*shuffle=*/false)
      .Interleave(
          [](const Structure& file) {
            return Dataset::FromTextLines({file.leaf().item<std::string>()});
          },
          {.cycle_length = kFiles})
      .Map(Parse);
}

// Makes examples of rows: the inputs of the model, which are the weight, of mean
// 0 and variance 1, and a vector with an entry for each color; and the label.
class Examples {
 public:
  explicit Examples(const std::string& analysis) : transform_(analysis) {}

  Structure operator()(const Structure& row) const {
    const Structure found = transform_(row);
    const Tensor color = encode_(found["color"].leaf());
    return Structure::Tuple(
        {Structure::Tuple({found["weight"], color}), row["price"]});
  }

 private:
  Transform transform_;
  CategoryEncoding encode_{kColorEntries};
};

Model MakeModel() {
  const Initializer zeros = initializers::Zeros();
  const SymbolicTensor weight = Input({1});
  const SymbolicTensor color = Input({kColorEntries});
  const SymbolicTensor of_weight =
      Dense(1, {.kernel_initializer = zeros})(weight);
  const SymbolicTensor of_color =
      Dense(1, {.use_bias = false, .kernel_initializer = zeros})(color);
  return Model({weight, color}, Add()({of_weight, of_color}));
}

void Train(const Dataset& rows, const Options& options) {
  MirroredStrategy strategy(CpuDevices(options.replicas));
  const StrategyScope scope = strategy.Scope();
  Analyze(rows, {ZScore("weight"), WordIds("color")},
          options.folder + "/analysis");
  const Dataset examples = rows.Map(Examples(options.folder + "/analysis"))
                               .Cache()
                               .Shuffle(kFiles * kRowsOfFile, /*seed=*/1)
                               .Batch(kRowsOfFile);
  const Model model = MakeModel();
  model.Compile(
      {.optimizer = std::make_shared<Sgd>(SgdOptions{.learning_rate = 0.2}),
       .loss = losses::MeanSquaredError()});
  const History history = model.Fit(
      examples, {.epochs = options.epochs, .verbose = Verbose::kSilent});
  Print("Number of devices: {}\n", strategy.num_replicas_in_sync());
  Print("Loss: {:.4f} after the first epoch, {:.4f} after the last\n",
        history["loss"].front(), history["loss"].back());
  model.Save(options.folder + "/model.keras");
}

// What another process does, which has neither the data nor the strategy.
void Serve(const std::string& folder) {
  const Examples examples(folder + "/analysis");
  const Model model = LoadModel(folder + "/model.keras");
  for (const char* color : {"red", "blue", "violet"}) {
    const Dataset row = Dataset::FromTensors(RowOf(color, 2.5f, 0));
    const Structure price = model.Predict(row.Map(examples).Batch(1));
    Print("Price of 2.5 kg of {}: {:.2f}\n", color,
          price.leaf().ToVector<float>()[0]);
  }
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app("Analyzes words and numbers, trains on them and serves.",
               "preprocessing");
  app.add_option("--epochs", options.epochs, "passes over the rows")
      ->check(WholeNumber(1))
      ->capture_default_str();
  app.add_option("--replicas", options.replicas, "logical CPU devices")
      ->check(WholeNumber(1, 256))
      ->capture_default_str();
  app.add_option("--folder", options.folder,
                 "where files go (default: results/preprocessing in the "
                 "checkout)");
  app.footer(
      "Examples:\n"
      "  ./bazelw run //examples:preprocessing\n"
      "  ./bazelw run //examples:preprocessing -- --replicas=4 --folder=mine\n"
      "\n"
      "Exit status: 0; 1 when something failed, 2 for a wrong command line.\n");
  if (const auto status = ParseCommandLine(app, argc, argv)) return *status;
  EnterUsersFolder();
  if (options.folder.empty()) {
    options.folder = ResultsFolder() + "/preprocessing";
  }
  WriteFiles(options.folder + "/data");
  Train(ReadFiles(options.folder + "/data"), options);
  Serve(options.folder);
  return 0;
}

}  // namespace
}  // namespace lockstep::examples

int main(int argc, char** argv) {
  return lockstep::RunProgram(
      [&] { return lockstep::examples::Main(argc, argv); });
}
