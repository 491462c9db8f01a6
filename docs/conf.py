"""How the site is made of the Markdown here, the docstrings and the examples: ``make docs``."""

import re
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

import matplotlib as mpl
from docutils import nodes
from sphinx.application import Sphinx

from aluma.lab.palette import STYLE

HERE = Path(__file__).parent

project = "aluma"
author = "the aluma authors"
project_copyright = author
version = release = installed("aluma")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
# Sphinx cannot write down that examples have a style, and need not.
suppress_warnings = ["config.cache"]
templates_path = ["_templates"]
exclude_patterns = ["_build", "**/sg_execution_times.rst", "sg_execution_times.rst"]

# Links in Markdown are those of a code host: files, and headings in their spelling.
myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings have them, in words
autodoc_member_order = "bysource"
numpydoc_show_class_members = False

# -- examples ----------------------------------------------------------------------------------

mpl.use("agg")


def _in_our_style(_gallery: dict, _file: str) -> None:
    """Let every example draw as the figures of the laboratory."""
    mpl.rcdefaults()
    mpl.rcParams.update(STYLE | {"figure.constrained_layout.use": True, "figure.dpi": 100})


sphinx_gallery_conf = {
    "examples_dirs": ["../examples/tutorials", "../examples/gallery"],
    "gallery_dirs": ["tutorials", "gallery"],
    "within_subsection_order": "FileNameSortKey",
    "filename_pattern": r"/plot_",
    "abort_on_example_error": True,
    "plot_gallery": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "min_reported_time": 1_000_000,
    "show_memory": False,
    "image_srcset": ["2x"],
    "image_scrapers": ("matplotlib",),
    "reset_modules": (_in_our_style,),
    "capture_repr": ("_repr_html_", "__repr__"),
    "ignore_repr_types": r"matplotlib",
    "show_signature": False,
}

# -- the look ----------------------------------------------------------------------------------

html_theme = "pydata_sphinx_theme"
html_title = "aluma"
html_favicon = ICON = "../src/aluma/app/static/icon.svg"
html_static_path = ["_static"]
html_css_files = ["aluma.css"]
html_show_sourcelink = False
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "aluma", "image_light": ICON, "image_dark": ICON},
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_context = {"default_mode": "auto"}  # light or dark, as the reader's system is
html_sidebars = {"index": [], "which-way-in": []}

# -- links that mean something else on the site ------------------------------------------------

#: What a code host shows as files beside docs/ are pages here.
PAGES = {
    r"\.\./examples/(gallery|tutorials)/README\.rst": r"\1/index.rst",
    r"\.\./examples/(gallery|tutorials)/(plot_\w+)\.py": r"\1/\2.rst",
    r"\.\./CHANGELOG\.md": "changelog.md",
    r"\.\./SECURITY\.md": "security-policy.md",
    r"\.\./CONTRIBUTING\.md": "contributing.md",
}


def _as_pages(_app: Sphinx, _name: str, source: list[str]) -> None:
    """Let links to files that have a page lead there, and name places as MyST does."""
    source[0] = re.sub(r'^<a id="([\w-]+)"></a>$', r"(\1)=", source[0], flags=re.MULTILINE)
    for file, page in PAGES.items():
        source[0] = re.sub(
            rf"\]\({file}((?:#[\w-]+)?)\)", rf"]({page}\g<{_last(file)}>)", source[0]
        )


def _last(pattern: str) -> int:
    return re.compile(pattern).groups + 1


def _dark_too(_app: Sphinx, page: nodes.document) -> None:
    """Show a picture that there is for dark paper too (``x-dark.png`` beside ``x.png``) there."""
    for light in list(page.findall(nodes.image)):
        file = Path(light["uri"])
        twin = file.with_stem(f"{file.stem}-dark")
        if (HERE / twin).is_file():
            dark = light.deepcopy()
            dark["uri"], dark["classes"] = twin.as_posix(), ["only-dark"]
            light["classes"].append("only-light")
            light.parent.insert(light.parent.index(light) + 1, dark)


def _no_references(_app: Sphinx, _what: str, _name: str, *rest: Any) -> None:
    """Take references out of a docstring's first sentence, which tables show without the rest."""
    lines: list[str] = rest[-1]
    begin = next((k for k, line in enumerate(lines) if line.strip()), 0)
    end = next((k for k in range(begin, len(lines)) if not lines[k].strip()), len(lines))
    lines[begin:end] = [re.sub(r" ?\[R\w+-\d+\]_", "", line) for line in lines[begin:end]]


def setup(app: Sphinx) -> None:
    """Connect what is ours."""
    app.connect("source-read", _as_pages)
    app.connect("doctree-read", _dark_too, priority=400)  # before pictures are collected
    app.connect("autodoc-process-docstring", _no_references, priority=900)  # after numpydoc
