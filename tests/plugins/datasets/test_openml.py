"""Data sets of OpenML, from a local server that answers in its formats."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from hashlib import md5
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.resources import files
from urllib.request import BaseHandler, Request, build_opener, install_opener

import numpy as np
import pytest
from sklearn.datasets import load_iris

import hcbench_datasets
from hcbench import DataError, DataNotAvailableError, DataRequest, Problem
from hcbench_datasets import from_sklearn

(SPEC,) = (spec for spec in hcbench_datasets.hcbench_datasets() if spec.name == "openml")
ARFF = """% As OpenML writes it
@RELATION plants
@ATTRIBUTE height REAL
@ATTRIBUTE colour {red, green}
@ATTRIBUTE width INTEGER
@ATTRIBUTE kind {'ox eye', lily, moss}
@DATA
1.5,red,2,lily
2.5,green,4,'ox eye'
?,red,9,lily
4.5,?,6,moss
"""
FEATURES = (("height", "numeric"), ("colour", "nominal"), ("width", "numeric"), ("kind", "nominal"))


@pytest.fixture
def pages(monkeypatch, tmp_path) -> Iterator[dict[str, bytes]]:
    """What openml.org answers, by path; downloads are kept in a folder of their own."""
    content: dict[str, bytes] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = content.get(self.path)
            self.send_response(404 if body is None else 200)
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    host = f"http://127.0.0.1:{server.server_port}"

    class OpenML(BaseHandler):
        handler_order = 0  # before the usual handlers

        def https_open(self, request: Request) -> object:
            assert request.host.endswith("openml.org")
            return self.parent.open(host + request.selector)

    install_opener(build_opener(OpenML))
    # The process that downloads knows nothing of this server.
    monkeypatch.setattr(from_sklearn, "download", from_sklearn.call_fetcher)
    monkeypatch.setattr("time.sleep", lambda _seconds: None)  # between attempts to download
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("HCBENCH_DATA", raising=False)
    publish(content)
    yield content
    install_opener(build_opener())
    server.shutdown()
    server.server_close()


def publish(content: dict[str, bytes], *, target: str = "kind", number: int = 7) -> None:
    description = {
        "id": str(number),
        "name": "plants",
        "version": "1",
        "description": "Plants.",
        "format": "ARFF",
        "licence": "Public",
        "url": f"https://www.openml.org/data/v1/download/{number}/plants.arff",
        "file_id": str(number),
        "default_target_attribute": target,
        "status": "active",
        "md5_checksum": md5(ARFF.encode()).hexdigest(),
    }
    features = [
        {
            "index": str(i),
            "name": name,
            "data_type": kind,
            "is_target": str(name == target).lower(),
            "is_ignore": "false",
            "is_row_identifier": "false",
            "number_of_missing_values": str(int(name in ("height", "colour"))),
        }
        for i, (name, kind) in enumerate(FEATURES)
    ]
    qualities = [{"name": "NumberOfInstances", "value": "4.0"}]
    api = "/api/v1/json/data"
    content[f"{api}/{number}"] = json.dumps({"data_set_description": description}).encode()
    listed = {"data_features": {"feature": features}}
    content[f"{api}/features/{number}"] = json.dumps(listed).encode()
    listed = {"data_qualities": {"quality": qualities}}
    content[f"{api}/qualities/{number}"] = json.dumps(listed).encode()
    # The second is where scikit-learn before 1.7 looks.
    for path in (f"{number}/plants.arff", f"{number}"):
        content[f"/data/v1/download/{path}"] = ARFF.encode()


def load(seed: int = 0, **params: object) -> Problem:
    given = SPEC.resolve({"id": 7, **params})
    problem: Problem = SPEC.load()(DataRequest(seed=seed), **given)
    assert SPEC.provides_with(given) == problem.provides
    return problem


def test_numbers_categories_and_classes_by_hand(pages):
    problem = load(missing="mean")
    # height, of which the third is the mean of the others; width; is green; is red
    expected = [[1.5, 2, 0, 1], [2.5, 4, 1, 0], [8.5 / 3, 9, 0, 1], [4.5, 6, 0, 0]]
    np.testing.assert_allclose(problem.vectors, expected)
    assert problem.class_names(1) == ["lily", "ox eye", "lily", "moss"]
    np.testing.assert_allclose(load(missing="median").vectors[2, 0], 2.5)
    whole = load(missing="drop")
    assert whole.vectors.tolist() == expected[:2]
    assert load(missing="mean", n=3).n == 3
    assert load(missing="drop", labels=False).levels is None
    pages.clear()  # it is stored now
    assert load(missing="drop").digest() == whole.digest()


def test_iris_as_openml_serves_it_is_the_bundled_one(pages):
    # Scikit-learn's own tests come with the answers of openml.org.
    folder = files("sklearn.datasets.tests.data.openml") / "id_61"
    if not folder.is_dir():
        pytest.skip("this installation of scikit-learn is without its tests")
    answers = {
        "/api/v1/json/data/61": "api-v1-jd-61.json.gz",
        "/api/v1/json/data/features/61": "api-v1-jdf-61.json.gz",
        "/api/v1/json/data/qualities/61": "api-v1-jdq-61.json.gz",
        "/data/v1/download/61": "data-v1-dl-61.arff.gz",
        "/data/v1/download/61/iris.arff": "data-v1-dl-61.arff.gz",
    }
    for path, name in answers.items():
        pages[path] = gzip.decompress((folder / name).read_bytes())
    iris, bundled = load(id=61), load_iris()
    # Scikit-learn has corrected rows 35 and 38 of UCI's file by Fisher's paper.
    assert np.flatnonzero((iris.vectors != bundled.data).any(axis=1)).tolist() == [34, 37]
    np.testing.assert_array_equal(iris.levels[:, 0], bundled.target)


def test_missing_numbers_and_targets_that_are_no_classes_are_refused(pages):
    with pytest.raises(DataError, match=r"'height', lack numbers; set missing=drop, mean or med"):
        load()
    publish(pages, target="width", number=8)
    with pytest.raises(DataError, match="its target 'width' is a number, no class; set labels=fa"):
        load(id=8)


def test_another_checksum_is_refused(pages):
    for path in ("/data/v1/download/7", "/data/v1/download/7/plants.arff"):
        pages[path] += b"9.5,red,1,moss\n"
    with pytest.raises(DataNotAvailableError, match=r"openml\[id=7\].* downloading it failed"):
        load(missing="mean")


def test_an_unknown_number_is_one_line(pages):
    with pytest.raises(DataNotAvailableError, match=r"openml\[id=99\]: no openml in") as raised:
        load(id=99)
    assert "\n" not in str(raised.value)
