"""Neighbours that go together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nemoparse_loaders.chunking.ranges import pack

ITEMS = st.lists(st.tuples(st.integers(1, 9), st.booleans(), st.booleans()), max_size=20)


@given(ITEMS, st.integers(1, 20))
def test_ranges_are_all_items_in_order_and_fit(items: list[tuple[int, bool, bool]], limit: int) -> None:
    costs = [cost for cost, _, _ in items]
    opens, leads = [opens for _, opens, _ in items], [leads for _, _, leads in items]

    ranges = pack(costs, limit, lambda start, end: sum(costs[start:end]) <= limit, opens, leads)

    assert [index for start, end in ranges for index in range(start, end)] == list(range(len(items)))
    for start, end in ranges:
        assert end - start == 1 or sum(costs[start:end]) <= limit
        assert not any(opens[start + 1 : end])
        # What leads ends a range only where nothing else is in it.
        assert end == len(items) or not leads[end - 1] or all(leads[start:end])


def test_a_heading_goes_with_what_follows() -> None:
    assert pack([3, 1, 5], 6, lambda start, end: True, None, [False, True, False]) == [(0, 1), (1, 3)]


def test_headings_that_fill_a_range_take_the_next_item_where_it_is_cut_once_more() -> None:
    assert pack([4, 3, 5, 2], 6, leads=[True, True, False, False]) == [(0, 2), (2, 3), (3, 4)]
    assert pack([4, 5, 2], 6, leads=[True, False, False]) == [(0, 2), (2, 3)]
    assert pack([4], 6, leads=[True]) == [(0, 1)]
