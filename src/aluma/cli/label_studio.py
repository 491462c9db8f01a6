"""`aluma label-studio`: a backend that lets Label Studio ask aluma's questions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aluma.cli.terminal import console, fail, plain

#: The port that Label Studio's own examples of backends have.
PORT = 9090


def label_studio(
    port: Annotated[
        int, typer.Option(min=0, max=65535, metavar="N", help="Port; 0 for any free one.")
    ] = PORT,
    folder: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where sessions are kept; made if need be.")
    ] = Path("aluma-label-studio"),
    address: Annotated[
        str | None,
        typer.Option(
            "--label-studio",
            metavar="ADDRESS",
            help="Where Label Studio is, if not where it says, or on another machine.",
        ),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="A personal access token of Label Studio. On the command line everybody on this "
            "machine can read it: rather set the variable.",
            envvar="LABEL_STUDIO_API_KEY",
        ),
    ] = None,
    embed: Annotated[
        str | None,
        typer.Option(
            metavar="PACKAGE:FUNCTION",
            help="A function to learn with: takes the list of examples, returns an array.",
        ),
    ] = None,
    stop_at: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=0.5,
            metavar="SHARE",
            help="The goal: at most this share of the labels is wrong, 95% sure by checks at "
            "random.",
        ),
    ] = 0.05,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Let other machines in: mind who can.")
    ] = "127.0.0.1",
) -> None:
    """Let Label Studio ask the tasks that settle the rest, and say when it is enough.

    Connect it in a project's settings under Model, with the address that is printed. It learns from
    annotations as they come and puts the next task first. Stop whenever you like: the same command
    goes on.

    Example: LABEL_STUDIO_API_KEY=... aluma label-studio --port 9090
    """
    import socket

    import uvicorn
    from threadpoolctl import threadpool_limits

    from aluma.adapters.label_studio.backend import Backend, application
    from aluma.app.people import tokens
    from aluma.app.server import take
    from aluma.cli.terminal import folder as made
    from aluma.errors import BadInput

    try:
        place = take(host, port)
    except BadInput as error:
        fail(str(error))
    backend = Backend(
        made(folder),
        address=address,
        token=token,
        embed=embed,
        tolerance=stop_at,
        say=lambda text: console.print(plain(text), soft_wrap=True),
    )
    # The same after a restart, since Label Studio keeps the address.
    secret = tokens.token(tokens.key_of(folder / "backend"), "Label Studio")
    console.print(
        "Name this address as a model in Label Studio, whole, and tell it nobody else; Ctrl-C ends "
        "it, and answers stay:"
    )
    console.print(plain(f"{place.address}{secret}/"), soft_wrap=True, style="bold")
    names = [] if place.is_private else [host, socket.gethostname()]
    config = uvicorn.Config(
        application(backend, secret, names), log_level="warning", access_log=False, lifespan="off",
        timeout_graceful_shutdown=1, server_header=False,
    )  # fmt: skip
    # One thread has the sessions, and a limit on BLAS is the whole process's.
    with threadpool_limits(1, user_api="blas"):
        try:
            uvicorn.Server(config).run(sockets=[place.listener])
        except KeyboardInterrupt:
            pass
        finally:
            backend.close()
