"""Who is let in, and as whom: a token for each person, and one for those who have no name yet."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterable

from aluma.app.people import names, tokens
from aluma.errors import Refused
from aluma.session import Session


class Admission:
    """The people of a session and their tokens.

    Parameters
    ----------
    session : where the list of people is kept
    key : what tokens are made of
    people : those who have a link of their own
    asks : whether whoever has the common link may choose a name
    """

    def __init__(
        self, session: Session, key: bytes, people: Iterable[str] = (), *, asks: bool = False
    ) -> None:
        self._session, self._key, self.asks = session, key, asks
        self._lock = threading.Lock()
        self._names: tuple[str, ...] = ()
        known = names.of_session(session)
        for name in known if asks else ():
            self._let_in(name)
        for name in people:
            # Somebody who was here before goes by the name as it was written then.
            before = [one for one in known if names.folded(one) == names.folded(name)]
            self._let_in(before[0] if before else name)
        self._keep()

    @property
    def names(self) -> tuple[str, ...]:
        """Those who have a token."""
        return self._names

    def token(self, name: str = tokens.GUEST) -> str:
        """Return the token of a person, or that of the common link."""
        return tokens.token(self._key, name)

    def who(self, given: str) -> str | None:
        """Return whose token it is, "" for the common link's, None for nobody's.

        All tokens are compared, each in a time that tells nothing about where the two differ.
        """
        found: str | None = None
        for name in (*self._names, *((tokens.GUEST,) if self.asks else ())):
            right = self.token(name).encode()
            if secrets.compare_digest(given.encode("utf-8", "replace"), right):
                found = name
        return found

    def join(self, name: str) -> str:
        """Let somebody in by a name that nobody has, and return their token."""
        if not self.asks:
            raise Refused("everybody here has a link of their own: open yours.")
        with self._lock:
            # A name that somebody went by before is theirs.
            known = dict.fromkeys([*self._names, *names.of_session(self._session)])
            taken = names.added(tuple(known), name)[-1]
            self._let_in(taken)
            self._keep()
        return self.token(taken)

    def _let_in(self, name: str) -> None:
        if name not in self._names:
            self._names = (*self._names, name)

    def _keep(self) -> None:
        known = tuple(dict.fromkeys([*names.of_session(self._session), *self._names]))
        if known != names.of_session(self._session) or names.LIST not in self._session.beside:
            names.keep(self._session, known)
