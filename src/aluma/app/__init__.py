"""The labelling page: a person, a keyboard and the fewest questions.

Arrows point one way: ``reading`` (files) and ``features`` make a pool of ``examples``; ``desk``
keeps a session about it and looks ahead; ``api`` and ``guard`` put the desk on the network,
``server`` starts them; ``static`` is the page itself.
"""

from aluma.extras import require

# Here, once for all its files: whatever is imported from the page, this comes first.
require("the labelling page", "label", "fastapi", "uvicorn", "pydantic", "pandas", "PIL")
