"""Headless Chromium, driven by its DevTools protocol over a pair of pipes."""

import base64
import json
import os
import shutil
import subprocess
import tempfile

from reports.json_file import ReportError

NAMES = ("chromium", "chromium-browser", "google-chrome")
_OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-extensions", "--no-first-run")


class Browser:
    """One page of a browser that ends with the `with` block. Errors: ReportError where there is no Chromium.

    events: what the page did since the last `go`: [(method, parameters)], as DevTools names them.
    """

    def __init__(self):
        program = next(filter(None, map(shutil.which, NAMES)), None)
        if not program:
            raise ReportError(f"[browser] wanted one of {', '.join(NAMES)}: apt-get install chromium")
        self._folder = tempfile.mkdtemp()
        self._count, self.events = 0, []
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        command = [program, *_OPTIONS, f"--user-data-dir={self._folder}", "--remote-debugging-pipe", "about:blank"]
        # The protocol's pipes are descriptors 3 and 4.
        shell = ["sh", "-c", f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}', "sh", *command]
        self._process = subprocess.Popen(shell, pass_fds=(theirs_in, theirs_out), stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self._rest = b""
        self._session = None

    def __enter__(self):
        targets = self._ask("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        attached = self._ask("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self._ask(domain + ".enable")
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)
        shutil.rmtree(self._folder, ignore_errors=True)

    def look(self, width, dark):
        """How wide the window is, and whether it is dark."""
        self._ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 700
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._ask("Emulation.setEmulatedMedia", features=[scheme])

    def go(self, address):
        """Opens an address and waits until it has loaded."""
        # A change of the fragment alone would load nothing.
        for place in ("about:blank", address):
            self.events = []
            self._ask("Page.navigate", url=place)
            while not any(method == "Page.loadEventFired" for method, _ in self.events):
                self._take()

    def value(self, expression):
        """What the page's script gives for an expression. Errors: ReportError where it throws."""
        found = self._ask("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in found:
            raise ReportError(f"[browser] {expression}: {found['exceptionDetails']['text']}")
        return found["result"].get("value")

    def screenshot(self):
        """The PNG's bytes of what the window shows."""
        return base64.b64decode(self._ask("Page.captureScreenshot")["data"])

    def _ask(self, method, **parameters):
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            reply = self._take()
            if reply.get("id") == self._count:
                break
        if "error" in reply:
            raise ReportError(f"[browser] {method}: {reply['error']['message']}")
        return reply["result"]

    def _take(self):
        """The next message; an event is kept."""
        while b"\0" not in self._rest:
            read = os.read(self._in, 1 << 16)
            if not read:
                raise ReportError("[browser] it ended")
            self._rest += read
        text, self._rest = self._rest.split(b"\0", 1)
        message = json.loads(text)
        if "method" in message:
            self.events.append((message["method"], message.get("params", {})))
        return message
