"""A client of the language server, over its standard input and output."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

URI = "file:///a.relay"


class Client:
    """Starts a server, and asks it."""

    def __init__(self, uri: str = URI) -> None:
        self.uri = uri
        command = [sys.executable, "-m", "gradual", "lsp"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._asked = 0
        self.published: list[dict[str, Any]] = []
        self.shown: list[str] = []

    def __enter__(self) -> Client:
        self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.tell("initialized", {})
        return self

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._process.communicate()

    def close(self) -> int:
        """Shut the server down; its exit code."""
        self.ask("shutdown", None)
        self.tell("exit", None)
        return self._process.wait(30)

    def open(self, text: str) -> None:
        """Open a text."""
        self.tell(
            "textDocument/didOpen",
            {"textDocument": {"uri": self.uri, "languageId": "relay", "version": 1, "text": text}},
        )

    def change(self, text: str, version: int) -> None:
        """Replace the text."""
        where = {"uri": self.uri, "version": version}
        self.tell("textDocument/didChange", {"textDocument": where, "contentChanges": [{"text": text}]})

    def diagnostics(self, version: int) -> list[dict[str, Any]]:
        """What is published of a version."""
        while True:
            for params in self.published:
                if params.get("version") == version:
                    return list(params["diagnostics"])
            self._receive()

    def at(self, method: str, line: int, character: int, **more: Any) -> Any:
        """Ask about a place."""
        place = {"line": line, "character": character}
        return self.ask(f"textDocument/{method}", {"textDocument": {"uri": self.uri}, "position": place, **more})

    def of(self, method: str, **more: Any) -> Any:
        """Ask about the text."""
        return self.ask(f"textDocument/{method}", {"textDocument": {"uri": self.uri}, **more})

    def tell(self, method: str, params: Any) -> None:
        """Send what has no answer."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, params: Any) -> Any:
        """The result, or the error, of a request."""
        self._asked += 1
        self._send({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params})
        while (answer := self._receive()).get("id") != self._asked:
            pass
        return answer.get("result", answer.get("error"))

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        body = json.dumps(message).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        stream = self._process.stdout
        assert stream is not None
        length = 0
        while line := stream.readline().strip():
            name, _, value = line.partition(b": ")
            length = int(value) if name == b"Content-Length" else length
        message: dict[str, Any] = json.loads(stream.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            self.published.append(message["params"])
        if message.get("method") == "window/showMessage":
            self.shown.append(message["params"]["message"])
        return message
