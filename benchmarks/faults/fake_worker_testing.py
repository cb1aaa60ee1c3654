"""A worker for tests that speaks as the real ones do, and does one thing wrong where its options say so.

Worker 0 listens at its port, the others connect; a step is a byte there and one back. --bad= says what it does wrong:
`waits` forever when another has died, `aborts` then, `blames` it on an Internal error; has a `wrong_loss` or
`wrong_weights`
or `skips` a step after a restart; `leaves_process`, with `leaves_port` one that listens; `leaves_file`; writes `torn`
checkpoints, or `forgets` to; `leaves_early`; `babbles`.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import time

STEPS, SAVE_EVERY = 24, 4
STEP_SECONDS = 0.003
# Until all workers are there, on a busy machine too.
STARTS = 30


def say(event, **fields):
    os.write(1, (json.dumps({"event": event, "time": time.monotonic(), **fields}) + "\n").encode())


class Gone(Exception):
    """Another worker is."""


class Links:
    """To the others: of worker 0 to all, of the others to worker 0."""

    def __init__(self, addresses, index, timeout):
        ports = [int(address.rpartition(":")[2]) for address in addresses]
        self.links = self._accept(ports) if index == 0 else [self._connect(ports[0])]
        for link in self.links:
            link.settimeout(timeout or 10)

    def _accept(self, ports):
        self.listener = socket.create_server(("127.0.0.1", ports[0]))
        self.listener.settimeout(STARTS)
        return [self.listener.accept()[0] for _ in ports[1:]]

    def _connect(self, port):
        self.listener = None
        end = time.monotonic() + STARTS
        while True:
            try:
                return socket.create_connection(("127.0.0.1", port))
            except ConnectionRefusedError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.01)

    def meet(self):
        try:
            if self.listener:
                self._all(lambda link: link.recv(1))
                self._all(lambda link: link.send(b"."))
            else:
                self._all(lambda link: link.send(b"."))
                self._all(lambda link: link.recv(1))
        except (ConnectionError, BrokenPipeError) as error:
            raise Gone from error

    def _all(self, act):
        for link in self.links:
            if not act(link):
                raise Gone


def loss_of(step, bad):
    return step * 0.5 + (bad == "wrong_loss" and step == STEPS)


def load(path):
    if not os.path.exists(path):
        return 0
    with open(path, encoding="ascii") as file:
        return json.load(file)["step"]


def save(path, step, bad):
    if bad == "forgets":
        return
    text = json.dumps({"step": step})
    with open(path + ".tmp", "w", encoding="ascii") as file:
        file.write(text[:-3] if bad == "torn" else text)
    os.replace(path + ".tmp", path)
    if bad == "leaves_file":
        with open(path + ".old", "w", encoding="ascii"):
            pass


def train(links, index, options):
    path = os.path.join(options.directory, "checkpoint.pt")
    os.makedirs(options.directory, exist_ok=True)
    restored = step = load(path)
    links.meet()
    if options.bad == "skips" and restored:
        step += 1
    say("joined", step=restored)
    while step < STEPS:
        time.sleep(STEP_SECONDS)
        links.meet()
        step += 1
        say("step", step=step, loss=loss_of(step, options.bad if restored else ""))
        if step % SAVE_EVERY == 0:
            say("saving", step=step)
            if index == 0:
                save(path, step, options.bad)
            say("saved", step=step)
    wrong = options.bad == "wrong_weights" and restored > 0
    say("trained", weights=[[0, 1.0 + wrong]])


def end_wrongly(bad):
    if bad == "waits":
        time.sleep(1000)
    if bad == "aborts":
        os.kill(os.getpid(), signal.SIGKILL)
    return "Internal" if bad == "blames" else "RuntimeError"


def misbehave_at_start(bad, links):
    if bad == "babbles":
        print("joined!", flush=True)
    if bad == "leaves_process" or (bad == "leaves_port" and links.listener):
        kept = [links.listener.fileno()] if bad == "leaves_port" else []
        environment = {} if bad == "leaves_port" else None
        subprocess.Popen(["sleep", "5"], start_new_session=True, pass_fds=kept, env=environment)


def main():
    parser = argparse.ArgumentParser()
    for name in ("directory", "bad", "epochs", "save_every", "join_timeout"):
        parser.add_argument(f"--{name}", default="")
    parser.add_argument("--timeout", type=float)
    options = parser.parse_args()
    config = json.loads(os.environ["TF_CONFIG"])
    say("started")
    try:
        links = Links(config["cluster"]["worker"], config["task"]["index"], options.timeout)
        misbehave_at_start(options.bad, links)
        train(links, config["task"]["index"], options)
    except (Gone, OSError, ValueError) as error:
        say("error", **{"class": end_wrongly(options.bad), "message": repr(error)})
        return 1
    if options.bad != "leaves_early":
        say("ended")
    return 0


if __name__ == "__main__":
    sys.exit(main())
