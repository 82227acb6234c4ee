"""`gradual lsp`: the language server."""

from __future__ import annotations

import os
import socket
from typing import IO, TYPE_CHECKING, BinaryIO, cast

import click

from gradual.interface.input.settings import Given
from gradual.interface.terminal import Trouble

if TYPE_CHECKING:
    from gradual.tools.lsp.session import Server

INSTALL = "pip install 'gradual[lsp]'"


@click.command()
@click.option(
    "--tcp", type=click.IntRange(0, 65535), metavar="PORT", help="Listen on this port of the loopback interface."
)
@click.option("--smt/--no-smt", default=None, help="Use Z3 (default), or the built-in procedures only.")
@click.option(
    "--documentation",
    metavar="URL",
    help="The address of the documentation site, to whose pages of codes diagnostics link.",
)
def lsp(tcp: int | None, smt: bool | None, documentation: str | None) -> None:
    """Run the language server over standard input and output; docs/how-to/use-an-editor.md lists its features."""
    try:
        from gradual.tools.lsp.server import serving
    except ImportError as error:
        raise click.UsageError(f"the language server needs the package pygls: {INSTALL}") from error
    server = serving(Given(smt=smt), documentation)
    if tcp is None:
        # duplicates, since the server closes the streams that it is given
        with os.fdopen(os.dup(0), "rb") as asked, os.fdopen(os.dup(1), "wb") as told:
            _answer(server, asked, told)
    else:
        with (
            socket.create_server(("127.0.0.1", tcp)) as listening,
            listening.accept()[0] as editor,
            editor.makefile("rb") as asked,
            editor.makefile("wb") as told,
        ):
            _answer(server, asked, told)


def _answer(server: Server, asked: IO[bytes], told: IO[bytes]) -> None:
    """Serve one editor until it disconnects; raises Trouble if a message is too long."""
    from gradual.tools.lsp.messages import Messages, TooLong

    try:
        server.start_io(cast(BinaryIO, Messages(asked)), cast(BinaryIO, told))
    except TooLong as reason:
        raise Trouble("E0704", str(reason)) from reason
