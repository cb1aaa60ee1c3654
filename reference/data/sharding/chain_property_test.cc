// For any chain of transformations: the elements are those of a model on
// numbers, the cardinality is theirs or unknown, the spec fits them, and
// workers together read each once, or are refused.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reference/base/file_testing.h"
#include "reference/data/element.h"
#include "reference/data/examples/parse_example.h"
#include "reference/data/sharding/auto_shard_testing.h"

namespace lockstep {
namespace {

using Numbers = std::vector<int64_t>;

int64_t ValueOf(const Structure& x) { return x.leaf().item<int64_t>(); }

Structure ScalarOf(int64_t x) { return Tensor::Scalar<int64_t>(x); }

constexpr int kBucket = 8;
constexpr int kChoose = 9;
constexpr int kZip = 10;
constexpr int kParse = 11;
constexpr int kConcatenate = 12;

struct Link {
  int kind = *rc::gen::inRange(0, 13);
  int64_t a = *rc::gen::inRange<int64_t>(1, 5);
  int64_t b = *rc::gen::inRange<int64_t>(1, 5);
  int64_t c = *rc::gen::inRange<int64_t>(1, 4);
  bool drop = *rc::gen::arbitrary<bool>();

  // Whether the policy FILE refuses it.
  bool needs_all_files() const {
    return kind < 5 || kind == kBucket || kind == kChoose;
  }

  Dataset Apply(const Dataset& x) const;
  Numbers Model(const Numbers& x) const;
};

Dataset Unbatched(const Dataset& window) { return window; }

// Element e as e % a + 1 times e, put together with others of similar length,
// and taken apart again.
Dataset Bucketed(const Dataset& x, const Link& link) {
  const int64_t a = link.a;
  return x
      .Map([a](const Structure& e) -> Structure {
        return Tensor::Full<int64_t>(Shape{ValueOf(e) % a + 1}, ValueOf(e));
      })
      .BucketBySequenceLength(
          [](const Structure& e) { return e.leaf().dim(0); },
          {.boundaries = {2, 3},
           .batch_sizes = {link.b, link.c, 2},
           .padding = -1,
           .drop_remainder = link.drop})
      .Unbatch()
      .Map(
          [](const Structure& e) { return ScalarOf(e.leaf().at<int64_t>(0)); });
}

// From x and x + 100 in turn.
Dataset Chosen(const Dataset& x, const Link& link) {
  const Dataset other =
      x.Map([](const Structure& e) { return ScalarOf(ValueOf(e) + 100); },
            TensorSpec{Shape{}, DType::kInt64});
  const Dataset choice = Dataset::Range(3 * link.a).Map([](const Structure& e) {
    return ScalarOf(ValueOf(e) % 2);
  });
  return Dataset::ChooseFromDatasets({x, other}, choice, link.drop);
}

// As Example messages, and back.
Dataset Parsed(const Dataset& x, const Link& link) {
  const ExampleFeatures features = {
      {"e", FixedLenFeature{.dtype = DType::kInt64}}};
  return x
      .Map([](const Structure& e) -> Structure {
        return Tensor::Scalar<std::string>(
            SerializeExample(Structure::Dict({{"e", e}})));
      })
      .Batch(link.b)
      .Map(
          [features](const Structure& batch) {
            return ParseExample(batch, features);
          },
          ParseExampleSpec(features))
      .Unbatch()
      .Map([](const Structure& e) { return e["e"]; });
}

Dataset Link::Apply(const Dataset& x) const {
  const int64_t a_ = a;
  switch (kind) {
    case 0:
      return x.TakeWhile(
          [a_](const Structure& e) { return ValueOf(e) % 10 != a_; });
    case 1:
      return x.Scan(ScalarOf(0), [](const Structure& s, const Structure& e) {
        const Structure sum = ScalarOf((ValueOf(s) + ValueOf(e)) % 1000);
        return ScanStep{.state = sum, .output = sum};
      });
    case 2:
      return x.Unique();
    case 3:
      return x
          .Map([a_](const Structure& e) {
            if (ValueOf(e) % 7 == a_) throw DataLoss("[Test] damaged");
            return e;
          })
          .IgnoreErrors();
    case 4:
      return x.GroupByWindow(
          [a_](const Structure& e) { return ValueOf(e) % a_; },
          [](int64_t, const Dataset& window) { return window; }, b);
    case 5:
      return x.Window(
          {.size = a, .shift = b, .stride = c, .drop_remainder = drop},
          Unbatched);
    case 6:
      return x.Map([](const Structure& e) { return ScalarOf(ValueOf(e) + 1); },
                   {.num_parallel_calls = drop ? kAutotune : a});
    case kBucket:
      return Bucketed(x, *this);
    case kChoose:
      return Chosen(x, *this);
    case kZip:
      return Dataset::Zip({x, x}).Map([](const Structure& e) {
        return ScalarOf(ValueOf(e[0]) + ValueOf(e[1]));
      });
    case kParse:
      return Parsed(x, *this);
    case kConcatenate:
      return x.Concatenate(x);
    default:
      return x.Repeat(2);
  }
}

Numbers Windows(const Numbers& x, const Link& link) {
  Numbers out;
  for (int64_t start = 0; start < std::ssize(x); start += link.b) {
    Numbers window;
    for (int64_t i = 0; i < link.a && start + i * link.c < std::ssize(x); ++i) {
      window.push_back(x[start + i * link.c]);
    }
    if (link.drop && std::ssize(window) < link.a) break;
    out.insert(out.end(), window.begin(), window.end());
  }
  return out;
}

Numbers Groups(const Numbers& x, const Link& link) {
  Numbers out;
  std::map<int64_t, Numbers> groups;
  for (const int64_t e : x) {
    Numbers& group = groups[e % link.a];
    group.push_back(e);
    if (std::ssize(group) < link.b) continue;
    out.insert(out.end(), group.begin(), group.end());
    group.clear();
  }
  for (const auto& [key, group] : groups) {
    out.insert(out.end(), group.begin(), group.end());
  }
  return out;
}

Numbers Buckets(const Numbers& x, const Link& link) {
  Numbers out;
  const size_t sizes[] = {size_t(link.b), size_t(link.c), 2};
  Numbers groups[3];
  for (const int64_t e : x) {
    const int64_t bucket = std::min<int64_t>(e % link.a, 2);
    Numbers& group = groups[bucket];
    group.push_back(e);
    if (group.size() < sizes[bucket]) continue;
    out.insert(out.end(), group.begin(), group.end());
    group.clear();
  }
  for (const Numbers& group : groups) {
    if (!link.drop) out.insert(out.end(), group.begin(), group.end());
  }
  return out;
}

Numbers Choices(const Numbers& x, const Link& link) {
  Numbers out;
  size_t next[] = {0, 0};
  for (int64_t i = 0; i < 3 * link.a; ++i) {
    const bool ended = next[i % 2] == x.size();
    if (ended && link.drop) break;
    if (!ended) out.push_back(x[next[i % 2]++] + 100 * (i % 2));
  }
  return out;
}

Numbers Link::Model(const Numbers& x) const {
  Numbers out;
  int64_t sum = 0;
  switch (kind) {
    case 4:
      return Groups(x, *this);
    case 5:
      return Windows(x, *this);
    case kBucket:
      return Buckets(x, *this);
    case kChoose:
      return Choices(x, *this);
    case 7:
    case kConcatenate:
      out = x;
      out.insert(out.end(), x.begin(), x.end());
      return out;
    default:
      break;
  }
  for (const int64_t e : x) {
    if (kind == 0 && e % 10 == a) break;
    if (kind == 2 && std::ranges::count(out, e) > 0) continue;
    if (kind == 3 && e % 7 == a) continue;
    sum = (sum + e) % 1000;
    out.push_back(kind == 1      ? sum
                  : kind == 6    ? e + 1
                  : kind == kZip ? 2 * e
                                 : e);
  }
  return out;
}

struct Chain {
  std::vector<Link> links = std::vector<Link>(*rc::gen::inRange<size_t>(0, 4));

  Dataset Apply(Dataset x) const {
    for (const Link& link : links) x = link.Apply(x);
    return x;
  }
  Numbers Model(Numbers x) const {
    for (const Link& link : links) x = link.Model(x);
    return x;
  }
  bool needs_all_files() const {
    return std::ranges::any_of(links, &Link::needs_all_files);
  }
};

Numbers UpTo(int64_t count) {
  Numbers numbers(count);
  for (int64_t i = 0; i < count; ++i) numbers[i] = i;
  return numbers;
}

RC_GTEST_PROP(ChainProperty, ReadsWhatTheModelSays, ()) {
  const auto count = *rc::gen::inRange<int64_t>(0, 30);
  const Chain chain;
  const Dataset dataset = chain.Apply(Dataset::Range(count));
  const Numbers wanted = chain.Model(UpTo(count));
  RC_ASSERT(ReadNumbers(dataset) == wanted);
  RC_ASSERT(ReadNumbers(dataset) == wanted);  // a second pass too
  const int64_t cardinality = dataset.cardinality();
  RC_ASSERT(cardinality == kUnknownCardinality ||
            cardinality == std::ssize(wanted));
  if (wanted.empty()) return;
  for (const Structure& element : dataset) {
    data_internal::CheckElement("Test", dataset.element_spec(), element);
  }
}

RC_GTEST_PROP(ChainProperty, DataReadsEveryElementOnce, ()) {
  const auto count = *rc::gen::inRange<int64_t>(0, 30);
  const auto workers = *rc::gen::inRange<int64_t>(1, 4);
  const Chain chain;
  const Dataset batches = chain.Apply(Dataset::Range(count)).Batch(5);
  Numbers all;
  for (int64_t worker = 0; worker < workers; ++worker) {
    const Numbers own = ReadNumbers(AutoShard(
        batches, {.workers = workers, .worker = worker, .replicas = workers}));
    all.insert(all.end(), own.begin(), own.end());
  }
  Numbers wanted = chain.Model(UpTo(count));
  std::ranges::sort(all);
  std::ranges::sort(wanted);
  RC_ASSERT(all == wanted);
}

RC_GTEST_PROP(ChainProperty, FileReadsOwnFilesOrRefuses, ()) {
  const TestFolder folder;
  WriteWholeFile(folder / "part-0", "0\n1\n2\n3\n4\n5\n");
  WriteWholeFile(folder / "part-1", "6\n7\n8\n");
  const Chain chain;
  const Dataset numbers =
      Dataset::FromTextLines({folder / "part-0", folder / "part-1"})
          .Map([](const Structure& line) {
            const std::string text = line.leaf().item<std::string>();
            return ScalarOf(text.empty() ? 0 : std::stoll(text));
          });
  const Dataset batches = chain.Apply(numbers).Batch(2).WithOptions(
      {.auto_shard_policy = AutoShardPolicy::kFile});
  const auto read = [&] {
    return ReadNumbers(
        AutoShard(batches, {.workers = 2, .worker = 1, .replicas = 2}));
  };
  if (chain.needs_all_files()) {
    RC_ASSERT_THROWS_AS(read(), Error);
  } else {
    RC_ASSERT(read() == chain.Model({6, 7, 8}));
  }
}

}  // namespace
}  // namespace lockstep
