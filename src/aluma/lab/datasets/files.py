"""Where the files of the data sets are: a folder of local copies, or a cache of downloads.

Every file is known by its SHA-256, which is checked whenever the file is read.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aluma.errors import CorruptData, MissingData
from aluma.extras import require

if TYPE_CHECKING:
    from requests import Response

#: Names a folder of local copies, used instead of downloads.
VARIABLE = "ALUMA_DATA"
#: Bytes written at a time; when a connection breaks, at most so many are lost.
CHUNK = 2**14
#: Seconds without a byte after which a server is given up.
REPLY_SECONDS = 30
#: A server is also given up that sends fewer bytes than this, on average, over so many seconds:
#: single bytes, each in time, would keep one waiting for ever.
LEAST_BYTES, SLOW_SECONDS = 500, 60.0
#: Bytes that a file may have: the largest that is published has a hundredth of it, and what never
#: ends would fill the disk.
MOST_BYTES = 5 * 2**30


@dataclass(frozen=True)
class DataFile:
    """A file of a data set.

    Attributes
    ----------
    path : where it is within the folder of local copies, and within the cache
    sha256 : digest of its bytes
    urls : public addresses, tried in order; none for a file that has none of its own
    without : what is said of a file that has none
    """

    path: str
    sha256: str
    urls: tuple[str, ...] = ()
    without: str = "is not published anywhere"


def locate(*alternatives: DataFile) -> Path:
    """Return the path of a file whose content is checked.

    Parameters
    ----------
    alternatives : forms of one content, such as packed and plain; any of them will do

    Raises
    ------
    MissingData
        If ``ALUMA_DATA`` names a folder without it, or it cannot be downloaded.
    CorruptData
        If its content is not the published one.
    """
    folder = os.environ.get(VARIABLE)
    return _local(Path(folder), alternatives) if folder else _cached(alternatives)


def cache_folder() -> Path:
    """Return the folder that downloads go to, the user's cache."""
    require("a data set", "lab", "pooch")
    import pooch

    return Path(pooch.os_cache("aluma"))


def _local(folder: Path, alternatives: tuple[DataFile, ...]) -> Path:
    if not folder.is_dir():
        raise MissingData(
            f"{VARIABLE}={str(folder)!r} is not a folder: correct it, or unset it to download."
        )
    for file in alternatives:
        path = folder / file.path
        if path.is_file():
            return _checked(path, file, f"replace it, or unset {VARIABLE} to download it")
    names = " or ".join(file.path for file in alternatives)
    published = any(file.urls for file in alternatives)
    way_out = f"unset {VARIABLE} to download it" if published else f"it {alternatives[0].without}"
    raise MissingData(f"{names} is not in {VARIABLE}={str(folder)!r}: put it there; {way_out}.")


def _cached(alternatives: tuple[DataFile, ...]) -> Path:
    cache = cache_folder()
    for file in alternatives:
        if (cache / file.path).is_file():
            return _checked(cache / file.path, file, "delete it, and it is downloaded again")
    for file in alternatives:
        if file.urls:
            return _download(file, cache)
    raise MissingData(
        f"{alternatives[0].path} {alternatives[0].without}: set {VARIABLE} to a folder that has it."
    )


def _checked(path: Path, file: DataFile, way_out: str) -> Path:
    with path.open("rb") as content:
        found = hashlib.file_digest(content, "sha256").hexdigest()
    if found != file.sha256:
        raise CorruptData(
            f"{path} has the SHA-256 {found}, but {file.sha256} is published: {way_out}."
        )
    return path


def _download(file: DataFile, cache: Path) -> Path:
    """Fetch a file from the first address that has it; pooch checks it and moves it in place."""
    require("a download", "lab", "pooch", "requests", "rich")
    import pooch
    import requests

    target = cache / file.path
    troubles = []
    for url in file.urls:
        part = target.with_name(target.name + ".part")
        try:
            return Path(
                pooch.retrieve(
                    url,
                    known_hash=f"sha256:{file.sha256}",
                    fname=target.name,
                    path=target.parent,
                    downloader=Resuming(part),
                )
            )
        except requests.RequestException as error:
            troubles.append(f"{url}: {error}")
        except ValueError:
            troubles.append(f"{url}: what it sent is not the published file")
        except OSError as error:
            raise MissingData(
                f"{file.path} cannot be kept in {target.parent}: {error.strerror}. Make room "
                f"there, or set {VARIABLE} to a folder that has it."
            ) from error
    raise MissingData(
        f"{file.path} could not be downloaded ({'; '.join(troubles)}). Try again with a "
        f"connection, what has arrived is kept; or set {VARIABLE} to a folder that has it."
    )


class Resuming:
    """A downloader for pooch that goes on where an interrupted download stopped.

    Parameters
    ----------
    part : file for what has arrived
    """

    def __init__(self, part: Path) -> None:
        self.part = part

    def __call__(self, url: str, output_file: Any, pooch: Any, check_only: bool = False) -> bool:
        """Fetch ``url`` into ``output_file``."""
        import requests

        arrived = self.part.stat().st_size if self.part.is_file() else 0
        headers = {"Range": f"bytes={arrived}-"} if arrived else {}
        with requests.get(url, headers=headers, stream=True, timeout=REPLY_SECONDS) as response:
            # 416: nothing is left to send, so what has arrived is the whole file or a wrong one.
            if response.status_code != requests.codes.requested_range_not_satisfiable:
                response.raise_for_status()
                resumed = response.status_code == requests.codes.partial_content
                self._receive(response, arrived if resumed else 0)
        # Moved, not copied: if the hash turns out wrong, nothing of it is left to go on from.
        shutil.move(self.part, output_file)
        return True

    def _receive(self, response: Response, arrived: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

        left = response.headers.get("Content-Length")
        total = arrived + int(left) if left and left.isdigit() else None
        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
        with (
            Progress(*columns, console=Console(stderr=True), transient=True) as progress,
            self.part.open("ab" if arrived else "wb") as out,
        ):
            task = progress.add_task(self.part.stem, total=total, completed=arrived)
            size, pace = arrived, Pace()
            for chunk in _chunks(response):
                out.write(chunk)
                progress.advance(task, len(chunk))
                size += len(chunk)
                pace.check(len(chunk))
                if size > MOST_BYTES:
                    self.part.unlink()
                    raise ValueError("it does not end")


def _chunks(response: Response) -> Iterator[bytes]:
    """Yield what arrives as it does, however little that is."""
    import requests
    from urllib3.exceptions import HTTPError

    read = getattr(response.raw, "read1", None)
    if read is None:
        # Before urllib3 2.1: a chunk comes when it is full.
        yield from response.iter_content(CHUNK)
        return
    try:
        while chunk := read(CHUNK, decode_content=True):
            yield chunk
    except HTTPError as error:
        raise requests.ConnectionError(str(error)) from error


class Pace:
    """Gives up a server that would take for ever."""

    def __init__(self) -> None:
        self._since, self._came = time.monotonic(), 0

    def check(self, size: int) -> None:
        """Count bytes; raise if they were too few of late."""
        import requests

        self._came += size
        seconds = time.monotonic() - self._since
        if seconds > SLOW_SECONDS:
            if self._came < LEAST_BYTES * seconds:
                raise requests.ReadTimeout(f"{self._came:,} bytes came in {seconds:.0f} seconds")
            self._since, self._came = time.monotonic(), 0
