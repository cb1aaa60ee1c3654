"""Testees that misbehave, each in one way: miniature.py MODE [FILE].

All answer honestly, as minimal.py does, except to programs in which the word
$TROUBLE stands ("trouble" when that is not set), or at their start or stop where the
mode says so. FILE gets the number of each process, and what else a mode notes.
"""

import json
import os
import signal
import sys
import time

import minimal

FOREVER = 3600


def note(what):
    if len(sys.argv) > 2:
        with open(sys.argv[2], "a", encoding="utf-8") as file:
            file.write(f"{what}\n")


def say(text):
    print(text, file=minimal.replies, flush=True)


def always_wrong(message):
    reply = minimal.answer(message)
    wrong = dict.fromkeys(reply["observations"], "wrong")
    minimal.reply({"seq": message["seq"], "observations": wrong})


def slow(message):
    time.sleep(5)
    minimal.reply(minimal.answer(message))


def exits(message):
    print("last words", file=sys.stderr)
    sys.exit(4)


def dies_by_signal(message):
    print("last words", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGSEGV)


def is_silent(message):
    note("silent")
    time.sleep(FOREVER)


def babbles_before(message):
    say("Epoch 1/10")
    minimal.reply(minimal.answer(message))


def babbles_after(message):
    minimal.reply(minimal.answer(message))
    say("Epoch 1/10")


def answers_twice(message):
    minimal.reply(minimal.answer(message))
    minimal.reply(minimal.answer(message))


def exits_after_the_answer(message):
    minimal.reply(minimal.answer(message))
    exits(message)


def lies_about_seq(message):
    minimal.reply({**minimal.answer(message), "seq": message["seq"] - 1})


def never_ends_a_line(message):
    while True:
        minimal.replies.write("x" * 65536)


def writes_nan(message):
    say('{"seq": %d, "observations": {"x": NaN}}' % message["seq"])


def writes_too_large_a_number(message):
    say('{"seq": %d, "observations": {"x": 1e400}}' % message["seq"])


def says_a_field_twice(message):
    say('{"seq": %d, "observations": {}, "observations": {"x": 1}}' % message["seq"])


def declares_a_long_name():
    declaration = minimal.answer({"cmd": "start", "version": 1})
    minimal.reply({**declaration, "name": "x" * 30_000})
    sys.stdin.readline()


def takes_all_memory(message):
    hoard = []
    while True:
        hoard.append(b"x" * (16 << 20))


def starts_too_many(message):
    while True:
        child = os.fork()
        if child == 0:
            time.sleep(FOREVER)
        note(child)


def floods_stderr(message):
    while True:
        sys.stderr.write("x" * 65536)


def fills_its_folder(message):
    for number in range(1 << 20):
        with open(f"file{number}", "wb") as file:
            file.write(b"x" * 65536)


def go_down(levels):
    name = "deep" * 32
    for _ in range(levels):
        os.mkdir(name)
        os.chdir(name)


def nests_folders(message):
    note(os.environ["TMPDIR"])
    go_down(3000)
    time.sleep(FOREVER)


def hides_files_deep(message):
    go_down(100)  # no path is that long
    fills_its_folder(message)


def starts_many_empty_files(message):
    for number in range(1 << 20):
        with open(f"file{number}", "wb"):
            pass


def writes_too_large_a_file(message):
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    with open("file", "wb") as file:
        while True:
            file.write(b"x" * 65536)


# Modules that take long to import are the modes' own.


def leaves_a_file(message):
    import tempfile

    with tempfile.NamedTemporaryFile(delete=False) as file:
        note(file.name)
    minimal.reply(minimal.answer(message))


def locks_its_folder(message):
    note(os.environ["TMPDIR"])
    os.makedirs("locked/inside")
    os.chmod("locked/inside", 0)
    os.chmod("locked", 0)
    minimal.reply(minimal.answer(message))


def moves_its_folder(message):
    old = os.environ["TMPDIR"]
    new = old + "-moved"
    note(old)
    note(new)
    os.rename(old, new)
    os.mkdir(old)
    minimal.reply(minimal.answer(message))


def signals_its_parent(number):
    import subprocess

    note(os.environ["TMPDIR"])
    note(subprocess.Popen(["sleep", str(FOREVER)], start_new_session=True).pid)
    os.kill(os.getppid(), number)


def terminates_its_parent(message):
    signals_its_parent(signal.SIGTERM)
    minimal.reply(minimal.answer(message))


def stops_its_parent(message):
    signals_its_parent(signal.SIGSTOP)
    minimal.reply(minimal.answer(message))


def kills_its_parent(message):
    signals_its_parent(signal.SIGKILL)
    time.sleep(FOREVER)


def says_all_it_may(message):
    start = '{"seq": %d, "observations": {"x": [' % message["seq"]
    end = "{}]}}"
    longest = 16 << 20
    objects = "{}," * ((longest - len(start) - len(end)) // 3)
    say((start + objects + end).ljust(longest))


def observes_more(message):
    reply = minimal.answer(message)
    reply["observations"]["extra"] = 1
    minimal.reply(reply)


def observes_nothing(message):
    minimal.reply({"seq": message["seq"], "observations": {}})


def names_no_error_class(message):
    error = {"class": "ValueError", "message": "bad", "at_step": "value.constant"}
    minimal.reply({"seq": message["seq"], "error": error})


def names_another_step(message):
    error = {"class": "Internal", "message": "bad", "at_step": "value.other"}
    minimal.reply({"seq": message["seq"], "error": error})


def lacks_what_it_declares(message):
    unsupported = {"step": message["program"][0]["step"], "reason": "no time"}
    minimal.reply({"seq": message["seq"], "unsupported": unsupported})


def fakes_every_step(message):
    names = [step["observe"] for step in message["program"] if "observe" in step]
    minimal.reply({"seq": message["seq"], "observations": dict.fromkeys(names, 1)})


def closes_stdout(message):
    minimal.replies.close()
    time.sleep(FOREVER)


def leaves_a_grandchild(message):
    import subprocess

    sleep = ["sleep", str(FOREVER)]
    note(subprocess.Popen(sleep, start_new_session=True).pid)
    minimal.reply(minimal.answer(message))


IN_TROUBLE = (
    always_wrong,
    slow,
    exits,
    dies_by_signal,
    is_silent,
    babbles_before,
    babbles_after,
    answers_twice,
    exits_after_the_answer,
    lies_about_seq,
    never_ends_a_line,
    writes_nan,
    writes_too_large_a_number,
    says_a_field_twice,
    takes_all_memory,
    starts_too_many,
    floods_stderr,
    fills_its_folder,
    nests_folders,
    hides_files_deep,
    starts_many_empty_files,
    writes_too_large_a_file,
    leaves_a_file,
    locks_its_folder,
    moves_its_folder,
    terminates_its_parent,
    stops_its_parent,
    kills_its_parent,
    says_all_it_may,
    observes_more,
    observes_nothing,
    names_no_error_class,
    names_another_step,
    lacks_what_it_declares,
    fakes_every_step,
    closes_stdout,
    leaves_a_grandchild,
)


def dies_at_start():
    sys.exit("no such device")


def is_silent_at_start():
    note("silent")
    time.sleep(FOREVER)


def babbles_at_start():
    say("Welcome!")


def declares_twice():
    minimal.reply(minimal.answer({"cmd": "start", "version": 1}))


def declares_too_little():
    say('{"version": 1, "name": "miniature"}')


def changes_its_mind():
    name = f"minimal-{os.getpid()}"
    declaration = minimal.answer({"cmd": "start", "version": 1})
    minimal.reply({**declaration, "name": name})
    sys.stdin.readline()


def declares_nonsense():
    declaration = minimal.answer({"cmd": "start", "version": 1})
    nonsense = {"no_such": "x", "end_of_data": "lost"}
    steps = [*declaration["steps"], "value.no_such"]
    minimal.reply({**declaration, "conventions": nonsense, "steps": steps})
    sys.stdin.readline()


AT_START = (
    dies_at_start,
    is_silent_at_start,
    babbles_at_start,
    declares_twice,
    declares_too_little,
    changes_its_mind,
    declares_nonsense,
    declares_a_long_name,
)


def keeps_running():
    time.sleep(FOREVER)


def fails_to_stop():
    sys.exit(7)


def says_goodbye():
    say("bye")
    sys.exit(0)


AT_STOP = (keeps_running, fails_to_stop, says_goodbye)


def serve(behaviour):
    trouble = os.environ.get("TROUBLE", "trouble")
    for line in sys.stdin:
        message = json.loads(line)
        if message["cmd"] == "stop":
            return
        if behaviour is takes_any_command and message["cmd"] not in ("start", "run"):
            behaviour()
        troubled = message["cmd"] == "run" and trouble in json.dumps(message["program"])
        if behaviour in IN_TROUBLE and troubled:
            behaviour(message)
        else:
            minimal.reply(minimal.answer(message))


def takes_any_command():
    time.sleep(FOREVER)


def main(mode):
    note(os.getpid())
    behaviours = (*IN_TROUBLE, *AT_START, *AT_STOP, takes_any_command)
    by_name = {f.__name__: f for f in behaviours}
    behaviour = by_name[mode]
    if behaviour is keeps_running:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if behaviour in AT_START:
        behaviour()
    serve(behaviour)
    if behaviour in AT_STOP:
        behaviour()


if __name__ == "__main__":
    main(sys.argv[1])
