"""Language models as oracles: how they are asked, and how their answers are read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench import (
    QUERY_KINDS,
    UNSURE,
    Answers,
    NotApplicableError,
    OracleError,
    Problem,
    QueryKind,
    Reply,
)
from hcbench_llm.client import ChatClient, Completion

SYSTEM = "You compare items. Answer with the label of your choice alone, without any explanation."
EXPECTED_TOKENS = (100, 2)
"""Of a prompt and an answer about items of a few words, for estimates."""


@dataclass(frozen=True, slots=True)
class Prompts:
    """Writes queries as prompts, and reads answers.

    Attributes
    ----------
    kind : QueryKind
    names : sequence of str
        Of the items.
    context : str
        What they are.
    """

    kind: QueryKind
    names: Sequence[str]
    context: str

    def write(self, items: Sequence[int]) -> str:
        """The query, as a person would be asked."""
        texts = [self.names[item] for item in items]
        if self.kind.arity == 4:
            texts = [f"{texts[0]} and {texts[1]}", f"{texts[2]} and {texts[3]}"]
        lines = [self.context, self.kind.text]
        if any(choice.text for choice in self.kind.choices):
            lines += [*texts, *(f"{choice.key}: {choice.text}" for choice in self.kind.choices)]
        else:
            pairs = zip(self.kind.choices, texts, strict=True)
            lines += [f"{choice.key}: {text}" for choice, text in pairs]
        return "\n".join(filter(None, [*lines, f"Answer with {self._labels()} alone."]))

    def _labels(self) -> str:
        *first, last = (choice.key for choice in self.kind.choices)
        return f"{', '.join(first)} or {last}"

    def read(self, text: str, items: Sequence[int]) -> int:
        """The code of an answer: a label, or else the text of one choice; UNSURE otherwise."""
        said = text.strip().strip(".:'\"*()` \n").casefold()
        texts = [choice.text or "" for choice in self.kind.choices]
        if self.kind.arity == len(texts):
            texts = [own or self.names[i] for own, i in zip(texts, items, strict=True)]
        codes = [choice.code for choice in self.kind.choices]
        labels = [choice.key for choice in self.kind.choices]
        for names in (labels, [name.casefold() for name in texts]):
            if said and names.count(said) == 1:
                return codes[names.index(said)]
        for names in (labels, texts):
            found = [
                code
                for code, name in zip(codes, names, strict=True)
                if name and re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", said)
            ]
            if len(found) == 1:
                return found[0]
        return UNSURE


def _ask(
    kind: str,
    problem: Problem,
    seed: int,
    _budget: int | None,
    *,
    model: str,
    url: str,
    context: str,
    input_price: float,
    output_price: float,
    temperature: float,
    max_tokens: int,
    concurrency: int,
    **limits: Any,
) -> Answers:
    """Answer the queries of a kind by a language model.

    Raises
    ------
    NotApplicableError
        If the items have no names.
    ParameterError
        If the URL cannot be used.
    OracleError
        Raised when it is asked, if the endpoint fails.
    """
    if problem.names is None:
        raise NotApplicableError("a language model is asked about names, and these items have none")
    prompts = Prompts(QUERY_KINDS[kind], problem.names, context)
    client = ChatClient(url, **limits)
    settings = {"model": model, "temperature": temperature}
    settings |= {"max_tokens": max_tokens} if max_tokens else {}
    random = seed if temperature > 0 else None

    def request(items: Sequence[int], key: int, time: int) -> tuple[int, Completion]:
        # Items are shown in an order that depends on the query, so that no place is preferred.
        orders = prompts.kind.orders
        order = orders[(key + time) % len(orders)]
        shown = [items[place] for place in order]
        messages = [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": prompts.write(shown)},
        ]
        body = {**settings, "messages": messages}
        if random is not None:
            body["seed"] = (random + time) % 2**31
        completion = client.complete(body)
        return prompts.kind.restore(prompts.read(completion.text, shown), order), completion

    def reply(row: int, items: Sequence[int], key: int, time: int) -> Reply:
        code, said = request(items, key, time)
        if said.prompt_tokens is None and input_price + output_price > 0:
            raise OracleError(f"{url} does not say how many tokens it has used: no price is known")
        tokens = said.prompt_tokens or 0, said.completion_tokens or 0
        price = (tokens[0] * input_price + tokens[1] * output_price) / 1e6
        return Reply(row, code, price, sum(tokens), said.seconds)

    def replies(
        questions: NDArray[np.int64], keys: NDArray[np.uint64], times: NDArray[np.int64]
    ) -> Iterator[Reply]:
        with ThreadPoolExecutor(min(concurrency, len(questions))) as pool:
            rows = zip(questions.tolist(), keys.tolist(), times.tolist(), strict=True)
            sent = [pool.submit(reply, row, *query) for row, query in enumerate(rows)]
            yield from _arriving(sent, pool)

    return Answers(
        kind=kind,
        n=problem.n,
        arity=prompts.kind.arity,
        replies=replies,
        timed=temperature > 0,
        source=json.dumps([url, settings, SYSTEM, context, random]),
    )


def _arriving(sent: Sequence[Future[Reply]], pool: ThreadPoolExecutor) -> Iterator[Reply]:
    """Replies as they arrive; after an error those that are on their way, as they are paid."""
    arrived: SimpleQueue[Future[Reply]] = SimpleQueue()
    for future in sent:
        future.add_done_callback(arrived.put)
    failure: BaseException | None = None
    try:
        for _ in sent:
            future = arrived.get()
            if future.cancelled():
                continue
            error = future.exception()
            if error is None:
                yield future.result()
            elif failure is None:
                failure = error
                pool.shutdown(wait=False, cancel_futures=True)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    if failure is not None:
        raise failure


ask_ordinal = partial(_ask, "ordinal-queries")
ask_quadruplet = partial(_ask, "quadruplet-queries")
ask_pair = partial(_ask, "pair-queries")
ask_rating = partial(_ask, "rating-queries")


def expected_price(*, input_price: float, output_price: float, **_others: Any) -> float:
    """What an answer about items of a few words costs, in USD."""
    prompt, completion = EXPECTED_TOKENS
    return (prompt * input_price + completion * output_price) / 1e6
