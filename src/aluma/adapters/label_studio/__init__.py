"""Label Studio asks aluma's questions: a backend that it connects to; see docs/adapters.md.

``backend.py`` speaks its protocol, ``door.py`` decides who may, ``studio.py`` calls its interface,
``project.py`` keeps one project's session, ``config.py`` reads what is asked.
"""
