"""Every export of a long table: processor time for 10,000 rows, and how it grows when the rows double.

Targets: less than 10 s for each export, and at most twice the time for twice the rows (with room for noise).

python benchmarks/table_exports.py
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable

from nemoparse_loaders.document import Table, TableCell

ROWS = 10_000
COLUMNS = 10
RUNS = 3
LONGEST_SECONDS = 10.0
MOST_GROWTH = 3.0

EXPORTS: dict[str, Callable[[Table], object]] = {
    "HTML": Table.to_html,
    "Markdown": Table.to_markdown,
    "CSV": Table.to_csv,
    "LaTeX": Table.to_latex,
    "records": Table.to_records,
    "DataFrame": Table.to_dataframe,
    "lines": Table.to_lines,
}


def ledger(rows: int) -> Table:
    """A table as accounts have them: a header, marks and signs in cells, a span in every fifth row."""
    cells = [TableCell(row=0, col=col, text=f"Column {col % 4}", is_header=True) for col in range(COLUMNS)]
    for row in range(1, rows):
        spans = row % 5 == 0
        for col in range(COLUMNS):
            if col == 1 and spans:
                continue
            text = f"**{row}** m<sup>2</sup> & 5 %" if col < 3 else f"${row}.{col}"
            cells.append(TableCell(row=row, col=col, colspan=2 if col == 0 and spans else 1, text=text))
    return Table(cells=tuple(cells), n_rows=rows, n_cols=COLUMNS, header_rows=1)


def seconds(export: Callable[[Table], object], table: Table) -> float:
    """The best of some runs."""
    times = []
    for _ in range(RUNS):
        gc.collect()
        start = time.process_time()
        export(table)
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    """Measure each export on half of the rows and on all of them."""
    half, whole = ledger(ROWS // 2), ledger(ROWS)
    Table.to_dataframe(ledger(2))  # pandas is imported once, and not measured
    failed = []
    for name, export in EXPORTS.items():
        short, long = seconds(export, half), seconds(export, whole)
        growth = long / short
        print(f"{name:10} {ROWS:,} rows x {COLUMNS}: {long:6.2f} s, {growth:.2f} times that of half the rows")
        if long > LONGEST_SECONDS or growth > MOST_GROWTH:
            failed.append(name)
    if failed:
        sys.exit(f"too slow or not linear: {', '.join(failed)}")


if __name__ == "__main__":
    main()
