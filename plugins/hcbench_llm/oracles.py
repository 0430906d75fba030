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

from hcbench import (
    QUERY_KINDS,
    UNSURE,
    AnswerRequest,
    Answers,
    BudgetExceededError,
    DataError,
    NotApplicableError,
    OracleError,
    OracleRequest,
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
        pictures: list[dict[str, Any]] = []
        for item_text, item in zip(self._texts(items), items, strict=True):
            url = self.pictures.get(self.names[item])
            if url is not None:
                pictures.append({"type": "text", "text": f"{item_text}:"})
                pictures.append({"type": "image_url", "image_url": {"url": url}})
        if not pictures:
            return text
        message: list[dict[str, Any]] = [{"type": "text", "text": text}]
        return message + pictures

    def write(self, items: Sequence[int]) -> str:
        """The query, as a person would be asked."""
        texts = self._texts(items)
        # Of four items, two pairs are compared.
        if self.kind.arity == 4:
            texts = [f"{texts[0]} and {texts[1]}", f"{texts[2]} and {texts[3]}"]
        lines = [self.context, self.kind.text]
        if self._items_are_choices():
            for choice, text in zip(self.kind.choices, texts, strict=True):
                lines.append(f"{choice.key}: {text}")
        else:
            lines.extend(texts)
            for choice in self.kind.choices:
                lines.append(f"{choice.key}: {choice.text}")
        lines.append(f"Answer with {self._labels()} alone.")
        # The context may be empty.
        return "\n".join(filter(None, lines))

    def read(self, text: str, items: Sequence[int]) -> int:
        """The code of an answer: a label, or else the text of one choice; UNSURE otherwise."""
        answer = text.strip().strip(".:'\"*()` \n").casefold()
        codes = [choice.code for choice in self.kind.choices]
        labels = [choice.key for choice in self.kind.choices]
        texts = [name.casefold() for name in self._choice_texts(items)]
        # The whole answer is a label or a text.
        for names in (labels, texts):
            if answer and names.count(answer) == 1:
                return codes[names.index(answer)]
        # It is a sentence with one of them.
        for names in (labels, texts):
            codes_in_answer = []
            for code, name in zip(codes, names, strict=True):
                if name and _has_word(answer, name.casefold()):
                    codes_in_answer.append(code)
            if len(codes_in_answer) == 1:
                return codes_in_answer[0]
        return UNSURE

    def _items_are_choices(self) -> bool:
        """Whether one of the items is the answer, so that choices have no texts."""
        return not any(choice.text for choice in self.kind.choices)

    def _texts(self, items: Sequence[int]) -> list[str]:
        """What stands for each item in the text: its name, or a number if it is a picture."""
        texts = []
        for place, item in enumerate(items, start=1):
            name = self.names[item]
            if name in self.pictures:
                texts.append(f"picture {place}")
            else:
                texts.append(name)
        return texts

    def _choice_texts(self, items: Sequence[int]) -> list[str]:
        """The text of each choice, or of the item that it stands for."""
        texts = [choice.text or "" for choice in self.kind.choices]
        # Choices that are no items have texts of their own.
        if self.kind.arity != len(texts):
            return texts
        pairs = zip(texts, self._texts(items), strict=True)
        return [text or item_text for text, item_text in pairs]

    def _labels(self) -> str:
        """The labels in a sentence: ``1, 2 or 3``."""
        *first, last = [choice.key for choice in self.kind.choices]
        return f"{', '.join(first)} or {last}"


def _has_word(text: str, word: str) -> bool:
    """Whether a word is in a text, and not only as a part of another word."""
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Model:
    """A language model that answers queries of a kind.

    Attributes
    ----------
    prompts : Prompts
    client : ChatClient
    settings : mapping
        Of each request: the model, its temperature and limits.
    seed : int or None
        Of each request, with the number of times the query was made before; None where the same
        request has the same answer.
    input_price, output_price : float
        USD for a million tokens.
    concurrency : int
        Requests at a time.
    """

    prompts: Prompts
    client: ChatClient
    settings: Mapping[str, Any]
    seed: int | None
    input_price: float
    output_price: float
    concurrency: int

    def replies(self, request: AnswerRequest) -> Iterator[Reply]:
        """Answer queries, as `hcbench.Answers` describes; in the order of arrival."""
        queries = request.queries.tolist()
        with ThreadPoolExecutor(min(self.concurrency, len(queries))) as pool:
            rows = zip(queries, request.keys.tolist(), request.times.tolist(), strict=True)
            sent = []
            for row, (items, key, time) in enumerate(rows):
                sent.append(pool.submit(self._reply, row, items, key, time))
            yield from _arriving(sent, pool)

    def _reply(self, row: int, items: Sequence[int], key: int, time: int) -> Reply:
        # Items are shown in an order that depends on the query, so that no place is preferred.
        orders = self.prompts.kind.orders
        order = orders[(key + time) % len(orders)]
        ordered_items = [items[place] for place in order]
        completion = self.client.complete(self._body(ordered_items, time))
        code = self.prompts.read(completion.text, ordered_items)
        # As if the items had been in the order of the query.
        code = self.prompts.kind.restore(code, order)
        tokens = (completion.prompt_tokens or 0) + (completion.completion_tokens or 0)
        return Reply(row, code, self._price(completion), tokens, completion.seconds)

    def _body(self, items: Sequence[int], time: int) -> dict[str, Any]:
        """What is sent to the endpoint."""
        messages = [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": self.prompts.content(items)},
        ]
        body = {**self.settings, "messages": messages}
        if self.seed is not None:
            # Endpoints take signed numbers of 32 bits.
            body["seed"] = (self.seed + time) % 2**31
        return body

    def _price(self, completion: Completion) -> float:
        """What an answer costs, in USD.

        Raises
        ------
        OracleError
            If it has a price, and the endpoint does not say of how many tokens.
        """
        has_price = self.input_price + self.output_price > 0
        if completion.prompt_tokens is None and has_price:
            raise OracleError(
                f"{self.client.url} does not say how many tokens it has used: no price is known"
            )
        prompt_price = (completion.prompt_tokens or 0) * self.input_price
        return (prompt_price + (completion.completion_tokens or 0) * self.output_price) / 1e6


def _ask(
    kind: str,
    request: OracleRequest,
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
    problem = request.problem
    seed = request.seed
    if problem.names is None:
        raise NotApplicableError("a language model is asked about names, and these items have none")
    urls: dict[str, str] = {}
    if pictures:
        urls = _read_pictures(Path(pictures).expanduser(), problem.names)
    settings: dict[str, Any] = {"model": model, "temperature": temperature}
    if max_tokens:
        settings["max_tokens"] = max_tokens
    # At temperature 0 the same query has the same answer.
    is_random = temperature > 0
    request_seed = None
    if is_random:
        request_seed = seed
    answering = _Model(
        prompts=Prompts(QUERY_KINDS[kind], problem.names, context, urls),
        client=ChatClient(url, **limits),
        settings=settings,
        seed=request_seed,
        input_price=input_price,
        output_price=output_price,
        concurrency=concurrency,
    )
    # A stored answer has its price: with other prices it is another answer.
    prices = [input_price, output_price]
    source: list[Any] = [url, settings, SYSTEM, context, request_seed, prices]
    source += _digest(urls)
    return Answers(
        kind=kind,
        n=problem.n,
        arity=answering.prompts.kind.arity,
        replies=answering.replies,
        timed=is_random,
        source=json.dumps(source),
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
        # By its suffix: the content of a picture is not decoded here.
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
            # One byte more than allowed tells that it is too large.
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
    if not pictures:
        return []
    content = json.dumps(pictures, sort_keys=True).encode()
    return [blake2b(content, digest_size=16).hexdigest()]


def _arriving(sent: Sequence[Future[Reply]], pool: ThreadPoolExecutor) -> Iterator[Reply]:
    """Replies as they arrive; after an error those that are on their way, as they are paid."""
    arrived: SimpleQueue[Future[Reply]] = SimpleQueue()
    for future in sent:
        future.add_done_callback(arrived.put)
    failure: BaseException | None = None
    try:
        for _ in sent:
            future = arrived.get()
            # It was not sent, as an earlier one failed or the budget ended.
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
        # Also if nobody reads the rest of the replies.
        pool.shutdown(wait=False, cancel_futures=True)
    if failure is not None:
        raise failure


ask_ordinal = partial(_ask, "ordinal-queries")
ask_quadruplet = partial(_ask, "quadruplet-queries")
ask_pair = partial(_ask, "pair-queries")
ask_rating = partial(_ask, "rating-queries")


def expected_price(*, input_price: float, output_price: float, **_other_parameters: Any) -> float:
    """What an answer about items of a few words costs, in USD."""
    prompt, completion = EXPECTED_TOKENS
    return (prompt * input_price + completion * output_price) / 1e6
