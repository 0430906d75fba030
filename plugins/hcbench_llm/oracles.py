"""Language models as oracles: how they are asked, and how their answers are read."""

from __future__ import annotations

import base64
import json
import mimetypes
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hcbench import (
    QUERY_KINDS,
    UNSURE,
    Answers,
    BudgetExceededError,
    DataError,
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
LARGEST_PICTURE = 20 << 20  # bytes; endpoints accept no larger ones
LARGEST_FOLDER = 1 << 30  # bytes of all pictures, which are kept in memory


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
    pictures : mapping of str to str
        From names to data URLs. The model sees these pictures instead of the names.
    """

    kind: QueryKind
    names: Sequence[str]
    context: str
    pictures: Mapping[str, str] = field(default_factory=dict)

    def content(self, items: Sequence[int]) -> str | list[dict[str, Any]]:
        """The message to the model: a text, with the pictures in the order of the items, if any."""
        text = self.write(items)
        parts: list[dict[str, Any]] = []
        for text_of_item, item in zip(self._texts(items), items, strict=True):
            if url := self.pictures.get(self.names[item]):
                parts += [
                    {"type": "text", "text": f"{text_of_item}:"},
                    {"type": "image_url", "image_url": {"url": url}},
                ]
        return [{"type": "text", "text": text}, *parts] if parts else text

    def _texts(self, items: Sequence[int]) -> list[str]:
        names = enumerate((self.names[item] for item in items), start=1)
        return [f"picture {at}" if name in self.pictures else name for at, name in names]

    def write(self, items: Sequence[int]) -> str:
        """The query, as a person would be asked."""
        texts = self._texts(items)
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
            shown = self._texts(items)
            texts = [own or name for own, name in zip(texts, shown, strict=True)]
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
    pictures: str,
    **limits: Any,
) -> Answers:
    """Answer the queries of a kind by a language model.

    Raises
    ------
    NotApplicableError
        If the items have no names.
    ParameterError
        If the URL cannot be used.
    DataError
        If a picture cannot be read.
    OracleError
        Raised when it is asked, if the endpoint fails.
    """
    if problem.names is None:
        raise NotApplicableError("a language model is asked about names, and these items have none")
    seen = _read_pictures(Path(pictures).expanduser(), problem.names) if pictures else {}
    prompts = Prompts(QUERY_KINDS[kind], problem.names, context, seen)
    client = ChatClient(url, **limits)
    settings = {"model": model, "temperature": temperature}
    settings |= {"max_tokens": max_tokens} if max_tokens else {}
    random = seed if temperature > 0 else None
    # A stored answer has its price: with other prices it is another answer.
    prices = [input_price, output_price]

    def request(items: Sequence[int], key: int, time: int) -> tuple[int, Completion]:
        # Items are shown in an order that depends on the query, so that no place is preferred.
        orders = prompts.kind.orders
        order = orders[(key + time) % len(orders)]
        shown = [items[place] for place in order]
        messages = [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": prompts.content(shown)},
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
        source=json.dumps([url, settings, SYSTEM, context, random, prices, *_digest(seen)]),
    )


def _read_pictures(folder: Path, names: Sequence[str]) -> dict[str, str]:
    """The pictures among the names, files of a folder, as data URLs.

    Raises
    ------
    DataError
        If a name is not that of a picture in the folder.
    """
    urls = {}
    total = 0
    for name in names:
        kind = mimetypes.guess_type(name)[0] or ""
        if not kind.startswith("image/"):
            raise DataError(f"{folder / name} is no picture; its name must end in .png, .jpg, ...")
        content = _read_picture(folder, name)
        total += len(content)
        if total > LARGEST_FOLDER:
            raise DataError(
                f"{folder}: the pictures have over {LARGEST_FOLDER >> 20} MB; make them smaller"
            )
        urls[name] = f"data:{kind};base64,{base64.b64encode(content).decode()}"
    return urls


def _read_picture(folder: Path, name: str) -> bytes:
    """The bytes of a picture, which is sent to others: no file outside of the folder, no device.

    Raises
    ------
    DataError
        If it is outside of the folder, also through a link, no regular file, or too large.
    """
    path = folder / name
    try:
        resolved = path.resolve(strict=True)
        if not resolved.is_relative_to(folder.resolve(strict=True)):
            raise DataError(
                f"{path} is outside of the folder {folder}, and its content would be sent to the "
                "endpoint; copy the picture into the folder"
            )
        if not resolved.is_file():
            raise DataError(f"{path} is no regular file; remove it from the items")
        with resolved.open("rb") as file:
            content = file.read(LARGEST_PICTURE + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, OSError):
            raise DataError.of_file("read", path, error) from error
        raise DataError(f"{path!r} is no path: {error}; rename the item") from error
    if len(content) > LARGEST_PICTURE:
        raise DataError(
            f"{path} has more than {LARGEST_PICTURE >> 20} MB; make the picture smaller"
        )
    return content


def _digest(pictures: Mapping[str, str]) -> list[str]:
    """What identifies the pictures; empty if there are none."""
    every = json.dumps(pictures, sort_keys=True).encode()
    return [blake2b(every, digest_size=16).hexdigest()] if pictures else []


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
                try:
                    yield future.result()
                except BudgetExceededError:
                    # Send no more; those on their way are paid, and yielded.
                    pool.shutdown(wait=False, cancel_futures=True)
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
