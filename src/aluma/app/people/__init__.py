"""Several people in one session: who they are, who is asked what, and what comes of their answers.

- ``names``, ``tokens``, ``current``: who somebody is, and how that is known;
- ``consensus``: the answer that counts, of several;
- ``dealing``: who is asked what, and who is asked again;
- ``agreement``, ``reliability``: how far people agree, and how often each errs;
- ``team``: the desk at which several people sit.
"""
