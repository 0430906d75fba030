"""The store: what became of every cell that was ever run, so that none runs twice.

The main process alone writes it, in short transactions. SQLite by default, PostgreSQL by URL.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import batched, chain
from pathlib import Path
from typing import Any, Self

from platformdirs import user_data_dir
from sqlalchemy import ColumnElement, Connection, Row, delete, func, select, text, update
from sqlalchemy.dialects import postgresql, sqlite

from hcbench.errors import StoreError
from hcbench.outcome import Measured, Outcome, Value
from hcbench.store_codec import decode_result, encode_result
from hcbench.store_engine import Place, explained, find_place, is_writable, open_engine
