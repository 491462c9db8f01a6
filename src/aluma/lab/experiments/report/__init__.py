"""The report: figures, tables, and the pages that show them."""
