"""Debian's Chromium without a window, driven by its DevTools protocol through two pipes: nothing but Python's
own library is needed. `open_browser()` is None where there is no Chromium."""
import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
         "--disable-extensions", "--remote-debugging-pipe", "about:blank"]
SECONDS = 120  # longer than any answer takes


class Browser:
    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="chromium-")
        read_command, self.write_end = os.pipe()
        self.read_end, write_answer = os.pipe()
        line = f'exec "$@" 3<&{read_command} 4>&{write_answer}'
        with open(os.path.join(self.folder, "said"), "wb") as said:
            self.process = subprocess.Popen(["bash", "-c", line, "bash", program, f"--user-data-dir={self.folder}", *FLAGS],
                                            pass_fds=(read_command, write_answer), stdin=subprocess.DEVNULL, stdout=said,
                                            stderr=said, start_new_session=True,
                                            env={**os.environ, "HOME": self.folder})
        os.close(read_command), os.close(write_answer)
        self.number, self.waiting, self.events = 0, b"", []

    def receive(self):
        """The next message, which is an answer or an event."""
        until = time.monotonic() + SECONDS
        while b"\0" not in self.waiting:
            ready, _, _ = select.select([self.read_end], [], [], max(0, until - time.monotonic()))
            part = os.read(self.read_end, 1 << 16) if ready else b""
            if not part:
                with open(os.path.join(self.folder, "said"), errors="replace") as said:
                    raise RuntimeError(f"Chromium says nothing any more; it had said: {said.read()[-2000:]}")
            self.waiting += part
        message, self.waiting = self.waiting.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write_end, data):]
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def tab(self, width, height=800, scheme="light"):
        return Tab(self, width, height, scheme)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
            self.process.wait(20)
        except (RuntimeError, OSError, subprocess.TimeoutExpired):
            pass
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)  # the session that was begun for it alone
            self.process.wait()
        os.close(self.read_end), os.close(self.write_end)
        shutil.rmtree(self.folder, ignore_errors=True)


class Tab:
    """A page of its own: its size, the reader's choice of light or dark, and what it says and asks for."""

    def __init__(self, browser, width, height, scheme):
        self.browser = browser
        self.context = browser.call("Target.createBrowserContext")["browserContextId"]
        target = browser.call("Target.createTarget", url="about:blank", browserContextId=self.context)["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for part in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{part}.enable")
        self.resize(width, height)
        self.media("screen", scheme)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def media(self, media, scheme):
        features = [{"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)

    def go(self, path):
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while not any(e.get("method") == "Page.loadEventFired" and e.get("sessionId") == self.session
                      for e in self.browser.events):
            self.browser.events.append(self.browser.receive())

    def said(self):
        """What went wrong so far, in words: errors, lines of the console, dialogs, what was loaded from elsewhere."""
        wrong = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            name, what = event["method"], event["params"]
            if name == "Runtime.exceptionThrown":
                wrong.append(f"error: {what['exceptionDetails'].get('exception', {}).get('description', 'unknown')}")
            elif name == "Runtime.consoleAPICalled":
                wrong.append(f"console: {[a.get('value') for a in what['args']]}")
            elif name == "Log.entryAdded":
                wrong.append(f"log: {what['entry']['text']}")
            elif name == "Page.javascriptDialogOpening":
                wrong.append(f"dialog: {what['message']}")
            elif name == "Network.requestWillBeSent" and not (what["type"] == "Document"
                                                              and what["request"]["url"].startswith("file:")):
                wrong.append(f"loads {what['request']['url'][:200]}")
        return wrong

    def value(self, script):
        """Of an expression; objects and arrays as they are in JSON."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", script))
        return answer["result"].get("value")

    def press(self, key):
        code = {"Tab": 9, "Enter": 13}[key]
        words = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        text = {"text": "\r"} if key == "Enter" else {}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **words, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **words)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def roles(self):
        """(role, name) of all that a screen reader is told of."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes
                if not node.get("ignored")]

    def screenshot(self, path, clip=None):
        """Of the whole page, or a part of it."""
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip or self.whole())["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def whole(self):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 15000), "scale": 1}

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True)["data"])

    def close(self):
        self.browser.call("Target.disposeBrowserContext", browserContextId=self.context)


def open_browser():
    program = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    return Browser(program) if program else None
