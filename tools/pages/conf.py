"""Sphinx reads this. Nothing in it may be fetched by a reader's browser, and nothing may need a server."""

project = "Plimsoll"
extensions = ["myst_nb"]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
nb_execution_mode = "off"  # tools/pages/notebooks.py has done it
myst_heading_anchors = 4
# The documents are plain Markdown: what MyST adds would change how they read. Directives stay, for the navigation.
myst_disable_syntax = ["myst_line_comment", "myst_block_break", "myst_target", "myst_role"]
highlight_language = "none"
smartquotes = False

html_theme = "furo"
html_title = "Plimsoll"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_use_index = False
html_copy_source = False
html_show_copyright = False
# Summaries would be fetched from the pages that were found, which browsers forbid where there is no server.
html_show_search_summary = False
