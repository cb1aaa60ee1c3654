"""Texts in columns, for a terminal."""


def aligned(rows):
    """Each row of texts as a line, its columns two spaces apart and as wide as the longest text in them.

    Rows may be of different lengths; the last text of a row is neither padded nor counted.
    """
    widths = {}
    for row in rows:
        for column, cell in enumerate(row[:-1]):
            widths[column] = max(widths.get(column, 0), len(cell))
    return ['  '.join([*(cell.ljust(widths[column]) for column, cell in enumerate(row[:-1])), row[-1]])
            for row in rows]
