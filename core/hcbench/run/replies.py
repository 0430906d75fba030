"""The answers of paid oracles, which workers read and store."""

from __future__ import annotations

from dataclasses import astuple
from hashlib import blake2b

from hcbench.oracle import Reply
from hcbench.oracle.paid import Query
from hcbench.store import Store


class StoredReplies(dict[Query, Reply]):
    """The answers of a paid oracle about some data, each stored as it arrives.

    Parameters
    ----------
    source, data : str
        What decides the answers: see `Answers.source`; the digest of the data.
    store : str
        The address of the store.
    oracle : str
        The name of the oracle, with its distribution.
    """

    def __init__(self, source: str, data: str, *, store: str, oracle: str) -> None:
        self._store = Store(store)
        self._key = blake2b(repr((oracle, source, data)).encode(), digest_size=16).hexdigest()
        replies = {}
        for query, values in self._store.replies(self._key).items():
            # The answer itself has its price in the ledger of the call that paid for it.
            replies[query] = Reply(0, *values)
        super().__init__(replies)

    def __setitem__(self, query: Query, reply: Reply) -> None:
        # Stored first: what is paid must not be lost, whatever happens to this process.
        self._store.save_reply(self._key, query, astuple(reply)[1:])
        super().__setitem__(query, reply)
