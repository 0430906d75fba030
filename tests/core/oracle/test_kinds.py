"""The kinds of queries: equal queries, and the meaning of answers."""

from itertools import combinations, permutations

import numpy as np
import pytest

from hcbench import QUERY_KINDS, ask_oracle


def answer(kind: str, query: tuple[int, ...]) -> int:
    """Answer by comparing squares of numbers, in any order of the query."""
    if kind == "rating-queries":
        return sum(query)
    if kind == "pair-queries":
        return int(sum(query) % 3 == 0)
    if kind == "ordinal-queries":
        distances = [abs(a * a - b * b) for b, a in combinations(sorted(query), 2)]
        low, _, high = sorted(query)
        return query.index(high if distances[0] <= distances[2] else low)
    i, j, k, l = query  # noqa: E741
    return int(np.sign(abs(k * k - l * l) - abs(i * i - j * j)))


@pytest.mark.parametrize("kind", QUERY_KINDS.values(), ids=lambda k: k.name)
def test_an_answer_means_the_same_in_every_order_of_a_query(kind):
    for query in permutations(range(5), kind.arity):
        code = answer(kind.name, query)
        for order in kind.orders:
            reordered = tuple(query[at] for at in order)
            assert answer(kind.name, reordered) == kind.reorder(code, order)
            assert kind.restore(answer(kind.name, reordered), order) == code


@pytest.mark.parametrize("kind", QUERY_KINDS.values(), ids=lambda k: k.name)
def test_the_orders_are_those_that_the_ledger_counts_as_one_query(kind):
    oracle = ask_oracle(kind.name, lambda *_: 1, n=kind.arity)
    queries = list(permutations(range(kind.arity)))
    oracle.ask(queries)
    same = {frozenset(tuple(q[at] for at in order) for order in kind.orders) for q in queries}
    assert len(same) == oracle.ledger.distinct_queries


def test_two_pairs_may_share_an_item_so_that_three_items_are_enough():
    assert [QUERY_KINDS[f"{kind}-queries"].least for kind in ("quadruplet", "ordinal", "pair")] == [
        3,
        3,
        2,
    ]
