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
// The time to listen for an unexpected line: long after the first program,
// because a testee that prints too much does so from the beginning.
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

  // Stops if the testee cannot declare itself.
  bool Run() {
    if (Declare()) {
      TryPrograms();
      report_.Section("It reports unsupported steps and errors of steps");
      InFreshProcess(&Probe::TryUnknownStep);
      InFreshProcess(&Probe::TryFailingStep);
      report_.Section("It ends correctly");
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

  void TryPrograms() {
    report_.Section("It answers a small program for each step it declares");
    std::vector<ProbeProgram> programs = FirstPrograms();
    for (const Case* one : catalogue_.cases)
      programs.push_back(ProgramOf(*one));
    const ChosenPrograms chosen =
        ChoosePrograms(std::move(programs), declaration_.steps);
    std::deque<ProbeProgram> waiting(chosen.programs.begin(),
                                     chosen.programs.end());
    // After a mistake, a fresh process continues.
    while (!waiting.empty()) {
      Conversation conversation(options_, check_, report_);
      if (!StartAgain(conversation)) return;
      milliseconds listen = kLong;
      for (bool is_right = true; is_right && !waiting.empty();
           listen = kShort) {
        is_right = TryProgram(conversation, waiting.front(), ++seq_, listen)
                       .has_value();
        waiting.pop_front();
      }
    }
    for (const std::string& step : chosen.left_over) {
      report_.Note(step + ": no case uses it with declared steps only");
    }
    if (chosen.programs.empty()) return;
    InFreshProcess([&](Probe&, Conversation& conversation) {
      TryTwice(conversation, chosen.programs.front());
    });
  }

  // Runs `check` in a fresh process, once that has declared itself.
  template <typename Function>
  void InFreshProcess(const Function& check) {
    Conversation conversation(options_, check_, report_);
    if (StartAgain(conversation)) std::invoke(check, *this, conversation);
  }

  bool StartAgain(Conversation& conversation) {
    const auto declaration = conversation.Start();
    if (declaration && *declaration != declaration_) {
      report_.Wrong("start",
                    {"its declaration differs from that of its first start",
                     "declare the same at each start"});
    }
    return declaration.has_value();
  }

  bool Declares(const std::string& step) const {
    return std::ranges::find(declaration_.steps, step) !=
           declaration_.steps.end();
  }

  std::optional<Reply> RunProgram(Conversation& conversation,
                                  const ProbeProgram& program, int64_t seq) {
    return conversation.Run(program.id, seq,
                            {.token = fmt::format("probe{}", ++tokens_),
                             .given = program.given,
                             .program = program.program});
  }

  std::optional<Reply> TryProgram(Conversation& conversation,
                                  const ProbeProgram& program, int64_t seq,
                                  milliseconds listen = kLong) {
    auto reply = RunProgram(conversation, program, seq);
    if (!reply || !conversation.IsQuiet(program.id, listen)) {
      return std::nullopt;
    }
    report_.Right(
        fmt::format("{}: {}", program.id, DescribeAnswer(reply->answer)));
    const auto* unsupported = std::get_if<Unsupported>(&reply->answer);
    if (unsupported && Declares(unsupported->step)) {
      report_.Note(
          "a declared step: only right if just these arguments are "
          "unsupported");
    }
    return reply;
  }

  void TryTwice(Conversation& conversation, const ProbeProgram& program) {
    const auto first = TryProgram(conversation, program, ++seq_);
    if (!first) return;
    const auto again = TryProgram(conversation, program, kFarSeq);
    if (!again) return;
    if (!DiffEquals(AnswerToJson(first->answer), AnswerToJson(again->answer))) {
      report_.Right(fmt::format(
          "the same program again, with seq {}: the same reply", kFarSeq));
    } else {
      report_.Note(
          program.id +
          ": the second reply differs; only right if the program draws random "
          "numbers, otherwise state of the first run remains");
    }
  }

  void TryUnknownStep(Conversation& conversation) {
    const auto reply =
        RunProgram(conversation,
                   OneStep("unknown step",
                           {{"observe", "x"}, {"step", "probe.no_such_step"}}),
                   ++seq_);
    if (!reply) return;
    if (std::holds_alternative<Unsupported>(reply->answer)) {
      report_.Right("a step that does not exist: unsupported");
    } else {
      report_.Wrong(
          "unknown step",
          {"wanted unsupported, got " + EncodeReply(*reply),
           "answer an unknown step with \"unsupported\", its name and a "
           "reason"});
    }
  }

  void TryFailingStep(Conversation& conversation) {
    if (!Declares("value.fail")) {
      report_.Note("value.fail is not declared: no failing program was tried");
      return;
    }
    const auto reply =
        RunProgram(conversation,
                   OneStep("failing step", {{"step", "value.fail"}}), ++seq_);
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
        "after stop: release all resources and end with status 0, without "
        "output");
  }

  void SendUnknownCommand(Conversation& conversation) {
    conversation.Send(R"({"cmd":"no_such_command"})");
    conversation.ExpectEnd(
        "unknown command",
        [](const ProcessEnd& end) { return !end.by_signal && end.value > 0; },
        "an unknown command: report it on stderr and end with a status above "
        "0");
  }

  void EndInput(Conversation& conversation) {
    conversation.CloseInput();
    conversation.ExpectEnd(
        "end of input", [](const ProcessEnd&) { return true; },
        "when stdin ends the runner is gone: end too, so that no process "
        "remains");
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
