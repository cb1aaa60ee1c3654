#include "conformance/runner/probe/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>

#include "conformance/runner/probe/content_check.h"
#include "conformance/runner/probe/programs.h"
#include "conformance/runner/verdicts/compare.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;

constexpr int64_t kFarSeq = 1'000'000;
// To listen for a line that nobody asked for. Who says too much does so after
// its first program.
constexpr milliseconds kLong{100};
constexpr milliseconds kShort{10};

ProbeProgram OneStep(const std::string& where, Json step) {
  return {where, {{"strategy", "default"}}, Json::array({std::move(step)})};
}

class Probe {
 public:
  Probe(const ConversationOptions& options, const ProbeCatalogue& catalogue,
        std::ostream& out)
      : options_(options),
        catalogue_(catalogue),
        check_(catalogue.schemas),
        report_(out) {}

  // A testee that cannot declare itself is asked nothing else.
  bool Run() {
    if (Declare()) {
      PutPrograms();
      report_.Section("It says what it lacks, and how a step fails");
      InFreshProcess(&Probe::PutUnknownStep);
      InFreshProcess(&Probe::PutFailingStep);
      report_.Section("It ends as it should");
      InFreshProcess(&Probe::Stop);
      InFreshProcess(&Probe::SendUnknownCommand);
      InFreshProcess(&Probe::EndInput);
    }
    report_.Close();
    return report_.wrong() == 0;
  }

 private:
  bool Declare() {
    report_.Section("It declares itself");
    Conversation conversation(options_, check_, report_);
    const auto declaration = conversation.Start();
    if (!declaration || !conversation.IsQuiet("start", kLong)) return false;
    declaration_ = *declaration;
    report_.Right(fmt::format("{}: {}, from {}, on {}", declaration->name,
                              declaration->implementation,
                              declaration->language,
                              fmt::join(declaration->devices, " and ")));
    for (const Mistake& mistake : MistakesIn(
             *declaration, catalogue_.operations, catalogue_.conventions)) {
      report_.Wrong("start", mistake);
    }
    return true;
  }

  void PutPrograms() {
    report_.Section("It answers a small program for each step it declares");
    std::vector<ProbeProgram> programs = FirstPrograms();
    for (const Case* one : catalogue_.cases)
      programs.push_back(ProgramOf(*one));
    const ChosenPrograms chosen =
        ChoosePrograms(std::move(programs), declaration_.steps);
    std::deque<ProbeProgram> waiting(chosen.programs.begin(),
                                     chosen.programs.end());
    // A fresh process goes on after a mistake.
    while (!waiting.empty()) {
      Conversation conversation(options_, check_, report_);
      if (!StartAgain(conversation)) return;
      milliseconds listen = kLong;
      for (bool is_right = true; is_right && !waiting.empty();
           listen = kShort) {
        is_right =
            Put(conversation, waiting.front(), ++seq_, listen).has_value();
        waiting.pop_front();
      }
    }
    for (const std::string& step : chosen.left_over) {
      report_.Note(step + ": no case uses it with declared steps only");
    }
    if (chosen.programs.empty()) return;
    InFreshProcess([&](Probe&, Conversation& conversation) {
      PutTwice(conversation, chosen.programs.front());
    });
  }

  // Runs `ask` with it, once it has declared itself.
  template <typename Function>
  void InFreshProcess(const Function& ask) {
    Conversation conversation(options_, check_, report_);
    if (StartAgain(conversation)) std::invoke(ask, *this, conversation);
  }

  bool StartAgain(Conversation& conversation) {
    const auto declaration = conversation.Start();
    if (declaration && *declaration != declaration_) {
      report_.Wrong("start",
                    {"it declares something else than at its first start",
                     "declare the same whenever it is started"});
    }
    return declaration.has_value();
  }

  bool Declares(const std::string& step) const {
    return std::ranges::find(declaration_.steps, step) !=
           declaration_.steps.end();
  }

  std::optional<Reply> Ask(Conversation& conversation,
                           const ProbeProgram& program, int64_t seq) {
    return conversation.Ask(program.id, seq,
                            {.token = fmt::format("probe{}", ++tokens_),
                             .given = program.given,
                             .program = program.program});
  }

  std::optional<Reply> Put(Conversation& conversation,
                           const ProbeProgram& program, int64_t seq,
                           milliseconds listen = kLong) {
    auto reply = Ask(conversation, program, seq);
    if (!reply || !conversation.IsQuiet(program.id, listen)) {
      return std::nullopt;
    }
    report_.Right(
        fmt::format("{}: {}", program.id, DescribeAnswer(reply->answer)));
    const auto* lack = std::get_if<Unsupported>(&reply->answer);
    if (lack && Declares(lack->step)) {
      report_.Note(
          "a declared step: right only where it is these arguments that are "
          "lacking");
    }
    return reply;
  }

  void PutTwice(Conversation& conversation, const ProbeProgram& program) {
    const auto first = Put(conversation, program, ++seq_);
    if (!first) return;
    const auto again = Put(conversation, program, kFarSeq);
    if (!again) return;
    if (!DiffEquals(AnswerToJson(first->answer), AnswerToJson(again->answer))) {
      report_.Right(fmt::format(
          "the same program again, with seq {}: the same reply", kFarSeq));
    } else {
      report_.Note(
          program.id +
          ": another reply the second time; right only where the program draws "
          "random numbers, else the state of the first run is still there");
    }
  }

  void PutUnknownStep(Conversation& conversation) {
    const auto reply =
        Ask(conversation,
            OneStep("unknown step",
                    {{"observe", "x"}, {"step", "probe.no_such_step"}}),
            ++seq_);
    if (!reply) return;
    if (std::holds_alternative<Unsupported>(reply->answer)) {
      report_.Right("a step that does not exist: unsupported");
    } else {
      report_.Wrong("unknown step",
                    {"wanted unsupported, got " + EncodeReply(*reply),
                     "answer a step it does not know with \"unsupported\", its "
                     "name and a reason"});
    }
  }

  void PutFailingStep(Conversation& conversation) {
    if (!Declares("value.fail")) {
      report_.Note(
          "value.fail is not declared: no program that fails was tried");
      return;
    }
    const auto reply =
        Ask(conversation, OneStep("failing step", {{"step", "value.fail"}}),
            ++seq_);
    if (!reply) return;
    const auto* failure = std::get_if<Failure>(&reply->answer);
    if (failure && failure->error_class == "InvalidArgument" &&
        failure->at_step == "value.fail") {
      report_.Right("a step that fails: its class and its name");
    } else {
      report_.Wrong(
          "failing step",
          {"wanted the error InvalidArgument at value.fail, got " +
               EncodeReply(*reply),
           "map the implementation's errors to the classes of operations.md"});
    }
  }

  void Stop(Conversation& conversation) {
    conversation.Send(EncodeStop());
    conversation.ExpectEnd(
        "stop",
        [](const ProcessEnd& end) {
          return end == ProcessEnd{false, 0};
        },
        "after stop: release what is held and end with status 0, and say "
        "nothing");
  }

  void SendUnknownCommand(Conversation& conversation) {
    conversation.Send(R"({"cmd":"no_such_command"})");
    conversation.ExpectEnd(
        "unknown command",
        [](const ProcessEnd& end) { return !end.by_signal && end.value > 0; },
        "a command it does not know: say so on stderr and end with a status "
        "above 0");
  }

  void EndInput(Conversation& conversation) {
    conversation.CloseInput();
    conversation.ExpectEnd(
        "end of input", [](const ProcessEnd&) { return true; },
        "when stdin ends the runner is gone: end as well, so that no process "
        "is left behind");
  }

  const ConversationOptions& options_;
  const ProbeCatalogue& catalogue_;
  const MessageCheck check_;
  ProbeReport report_;
  TesteeDeclaration declaration_;
  int64_t seq_ = 0;
  int64_t tokens_ = 0;
};

}  // namespace

bool ProbeTestee(const ConversationOptions& options,
                 const ProbeCatalogue& catalogue, std::ostream& out) {
  return Probe(options, catalogue, out).Run();
}

}  // namespace lockstep
