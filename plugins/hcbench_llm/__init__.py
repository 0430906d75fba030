"""Language models behind an HTTP endpoint as oracles: an example of oracles that cost money.

`oracles` asks and reads answers, `client` sends requests. The key of the API is in the environment
variable ``HCBENCH_LLM_KEY``, and the endpoints that may get it in ``HCBENCH_LLM_URL``: they are no
parameters, as parameters are stored and shown, and come with a suite that may be a stranger's.
"""

from __future__ import annotations

from collections.abc import Iterable

from hcbench import REQUIRED, CommandSpec, OracleSpec, Parameter, hookimpl

PARAMETERS = (
    Parameter("model", REQUIRED, "The model, as the endpoint names it.", type="str"),
    Parameter(
        "url",
        "https://api.openai.com/v1/chat/completions",
        "The endpoint, which speaks the chat-completions format.",
    ),
    Parameter("context", "", "What the items are, such as 'These are films.'"),
    Parameter(
        "input_price", 0.0, "Price of a million tokens of prompts, in USD.", interval="[0, inf)"
    ),
    Parameter(
        "output_price", 0.0, "Price of a million tokens of answers, in USD.", interval="[0, inf)"
    ),
    Parameter(
        "temperature",
        0.0,
        "Randomness of the answers; above 0, a repeated query is sent again.",
        interval="[0, 2]",
    ),
    Parameter(
        "max_tokens", 16, "The most tokens of an answer; 0 sends no limit.", interval="[0, inf)"
    ),
    Parameter(
        "pictures",
        "",
        "A folder; the names of the items are those of pictures in it, which the model sees.",
    ),
    Parameter("concurrency", 8, "Requests at a time, of one batch.", interval="[1, inf)"),
    Parameter("rate", 0.0, "The most requests per minute; 0 is no limit.", interval="[0, inf)"),
    Parameter(
        "timeout", 60.0, "Seconds for one request and its whole response.", interval="(0, inf)"
    ),
    Parameter(
        "retries",
        5,
        "How often a request is repeated after an error that may pass.",
        interval="[0, inf)",
    ),
)

LLM = tuple(
    OracleSpec(
        name=f"llm-{name}",
        function=f"hcbench_llm.oracles:ask_{name}",
        doc=f"A language model behind an HTTP endpoint answers {query}.",
        kind=f"{name}-queries",
        needs=(),
        parameters=PARAMETERS,
        files=("pictures",),
        secrets=("HCBENCH_LLM_KEY*",),
        currency="USD",
        price="hcbench_llm.oracles:expected_price",
    )
    for name, query in (
        ("ordinal", "which of three items is the odd one out"),
        ("quadruplet", "which of two pairs is more similar"),
        ("pair", "whether two items belong together"),
        ("rating", "how alike two items are"),
    )
)


@hookimpl
def hcbench_oracles() -> Iterable[OracleSpec]:
    """Return the oracle of each kind of query."""
    return LLM


@hookimpl
def hcbench_commands() -> Iterable[CommandSpec]:
    """Return the command ``answers``."""
    doc = "Write the stored answers of paid oracles as CSV."
    return [CommandSpec(name="answers", function="hcbench_llm.command:answers", doc=doc)]
