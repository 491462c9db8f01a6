"""The labelling page, a person, a keyboard and the fewest questions; and the page for checks.

Arrows point one way: ``reading`` (files) and ``features`` make a pool of ``examples``; ``desk``
keeps a session about it and looks ahead; ``api`` and ``guard`` put the desk on the network,
``server`` starts them; ``static`` is the page itself. The files that begin with ``check_`` are the
same for labels that are checked; ``publisher`` and ``routes`` are what both have.
"""

from aluma.extras import require

# Here, once for all its files: whatever is imported from the page, this comes first.
require("the labelling page", "label", "fastapi", "uvicorn", "pydantic", "pandas", "PIL")
