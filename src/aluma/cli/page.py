"""Pages that commands open in a browser: their options, their link, their end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from aluma.cli.terminal import console, plain

if TYPE_CHECKING:
    from aluma.app.publisher import Publisher
    from aluma.app.server import Page, Place

Port = Annotated[
    int | None, typer.Option(min=0, max=65535, metavar="N", help="Port; 0 for any free one.")
]
Token = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="Token of the link; by default a new random one. On the command line everybody on "
        "this machine can read it: rather set the variable.",
        envvar="ALUMA_TOKEN",
    ),
]


def offer(
    page: Page, desk: Publisher[Any], place: Place, *, browser: bool, stays: bool = True
) -> None:
    """Print the link of a page, open it if that is wanted, and serve it until Ctrl-C.

    With ``stays`` the answers are still there afterwards.
    """
    from aluma.app.server import serve, show

    kept = "answers stay" if stays else "nothing of this demonstration is kept"
    links = desk.links(place)
    console.print(
        f"Open this link; Ctrl-C ends the page, and {kept}:"
        if len(links) == 1
        else f"A link for each person, and for nobody else; Ctrl-C ends the page, and {kept}:"
    )
    for name, link in links.items():
        if name:
            console.print(f"{plain(name)}:", soft_wrap=True)
        console.print(escape(link), soft_wrap=True, style="bold")
    browser = browser and len(links) == 1
    serve(page, desk, place, show if browser else None)
