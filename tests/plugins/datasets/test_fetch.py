"""Files of public data: search order, downloads, and errors in one line."""

from __future__ import annotations

import gzip
import io
import math
import tarfile
import zipfile
from hashlib import md5, sha256
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array

import hcbench_datasets
from hcbench import DataError, DataNotAvailableError, DataRequest, Problem
from hcbench_datasets import cifar, fetch, hierarchies, uci, words

#: In the user's folder of caches.
CACHE = "hcbench/data"
SPECS = {spec.name: spec for spec in hcbench_datasets.hcbench_datasets()}
PUBLIC = (
    "zoo",
    "glass",
    "car",
    "sp500",
    "amazon-reviews",
    "mnist",
    "cifar-100",
    "wordnet",
    "gics",
    "products",
    "pythons",
    "rcv1",
    "zebrafish",
    "20newsgroups",
)


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """No data folder, empty caches, and a name server that knows no server."""
    monkeypatch.delenv("HCBENCH_DATA", raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "sklearn"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def unknown(*_args, **_more):
        raise OSError("no such host")

    monkeypatch.setattr("socket.getaddrinfo", unknown)
    # Processes that download have a proxy that answers to none.
    for variable in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")
    monkeypatch.setattr("time.sleep", lambda _seconds: None)  # between attempts to download
    return tmp_path


@pytest.mark.parametrize("name", PUBLIC)
def test_missing_data_are_one_line_with_the_place_of_the_file(nowhere, name):
    spec = SPECS[name]
    hcbench_datasets_train_is_forgotten()
    with pytest.raises(DataNotAvailableError, match=f"^{name}: no .* set HCBENCH_DATA") as raised:
        spec.load()(DataRequest(seed=0), **spec.resolve({}))
    assert "\n" not in str(raised.value)
    assert "parameter" not in str(raised.value)  # of scikit-learn's, which does not apply


@pytest.mark.parametrize("name", ["rcv1", "20newsgroups"])
def test_a_download_leaves_the_sockets_of_the_caller_alone(nowhere, name, monkeypatch):
    hcbench_datasets_train_is_forgotten()
    monkeypatch.setattr("socket.setdefaulttimeout", lambda _seconds: pytest.fail("set for all"))
    spec = SPECS[name]
    with pytest.raises(DataNotAvailableError, match=r"downloading it failed .*refused"):
        spec.load()(DataRequest(seed=0), **spec.resolve({}))


def hcbench_datasets_train_is_forgotten():
    from hcbench_datasets import newsgroups

    newsgroups.training_split.cache_clear()


def test_the_folder_of_the_user_comes_before_the_cache(nowhere, monkeypatch):
    for place in (CACHE, "mine"):
        (nowhere / place).mkdir(parents=True)
        (nowhere / place / "a.csv").write_text(place)
    monkeypatch.setenv("HCBENCH_DATA", str(nowhere / "mine"))
    assert fetch.data_file("a.csv", "a", "some table") == nowhere / "mine" / "a.csv"
    (nowhere / "mine" / "a.csv").unlink()
    assert fetch.data_file("a.csv", "a", "some table") == nowhere / CACHE / "a.csv"


def test_a_compressed_file_may_be_decompressed(nowhere, monkeypatch):
    monkeypatch.setenv("HCBENCH_DATA", str(nowhere))
    (nowhere / "a.csv").write_text("plain")
    assert fetch.open_text(fetch.data_file("a.csv.gz", "a", "")).read() == "plain"
    (nowhere / "a.csv.gz").write_bytes(gzip.compress(b"packed"))
    assert fetch.open_text(fetch.data_file("a.csv.gz", "a", "")).read() == "packed"


def test_a_folder_without_the_file_is_reported(nowhere, monkeypatch):
    monkeypatch.setenv("HCBENCH_DATA", str(nowhere))
    with pytest.raises(DataNotAvailableError, match=f"HCBENCH_DATA={nowhere}; put it at .*: hint"):
        fetch.data_file("a.csv", "a", "hint")


@pytest.fixture
def server(monkeypatch):
    """Replaces the internet: the content that a downloader writes, by URL."""
    content: dict[str, bytes] = {}

    class Downloader:
        def __init__(self, **_options):
            pass

        def __call__(self, url, output, _pooch):
            Path(output).write_bytes(content[url])

    monkeypatch.setattr("pooch.HTTPDownloader", Downloader)
    return content


def test_a_download_is_stored_in_the_cache(nowhere, server):
    server["http://x/a.bin"] = b"abc"
    remote = fetch.Remote("http://x/a.bin", sha256(b"abc").hexdigest())
    assert fetch.data_file("a/a.bin", "a", "", remote).read_bytes() == b"abc"
    server.clear()
    assert fetch.data_file("a/a.bin", "a", "", remote) == nowhere / CACHE / "a" / "a.bin"


def test_a_download_with_a_wrong_checksum_is_refused(nowhere, server):
    server["http://x/a.bin"] = b"tampered with"
    remote = fetch.Remote("http://x/a.bin", sha256(b"abc").hexdigest())
    with pytest.raises(DataNotAvailableError, match="checksum is not the known one"):
        fetch.data_file("a.bin", "a", "", remote)
    assert not (nowhere / CACHE / "a.bin").exists()


def test_a_file_is_extracted_from_a_downloaded_archive(nowhere, server):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("folder/a.csv", "1,2,3")
    server["http://x/all.zip"] = stream.getvalue()
    known = sha256(stream.getvalue()).hexdigest()
    remote = fetch.Remote("http://x/all.zip", known, "a.csv")
    assert fetch.data_file("d/a.csv", "d", "", remote).read_text() == "1,2,3"
    lacking = fetch.Remote("http://x/all.zip", known, "b.csv")
    with pytest.raises(DataNotAvailableError, match=r"has no b\.csv"):
        fetch.data_file("d/b.csv", "d", "", lacking)


def cifar_archive(images: dict[str, bytes]) -> bytes:
    """In the authors' format: of each image a coarse and a fine label, then 3072 values."""
    content = {f"{split}.bin": body for split, body in images.items()}
    content["coarse_label_names.txt"] = b"fish\nflowers\n\n"
    content["fine_label_names.txt"] = b"orchid\nray\nshark\n\n"
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, body in content.items():
            entry = tarfile.TarInfo(f"cifar-100-binary/{name}")
            entry.size = len(body)
            archive.addfile(entry, io.BytesIO(body))
    return stream.getvalue()


def test_images_of_cifar_100_have_two_levels_of_classes(nowhere, server, monkeypatch):
    images = bytes([0, 2, *[7] * 3072, 1, 0, *range(256), *[0] * 2816, 0, 1, *[255] * 3072])
    archive = cifar_archive({"train": images, "test": images[:3074]})
    spec = SPECS["cifar-100"]
    server["https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz"] = archive
    with pytest.raises(DataNotAvailableError, match="checksum is not the known one"):
        spec.load()(DataRequest(seed=0), n=2, split="train")
    monkeypatch.setattr(cifar, "MD5", md5(archive).hexdigest())
    problem = spec.load()(DataRequest(seed=0), n=3, split="train")
    assert problem.class_names(1) == ["fish", "flowers", "fish"]
    assert problem.class_names(2) == ["shark", "orchid", "ray"]
    assert problem.vectors.shape == (3, 3072)
    assert problem.vectors[1, :3].tolist() == [0.0, 1.0, 2.0]
    assert problem.vectors[2].min() == 255
    with pytest.raises(DataError, match="n=2 exceeds the 1 images of split=test"):
        spec.load()(DataRequest(seed=0), n=2, split="test")
    (nowhere / CACHE / "cifar-100-binary.tar.gz").write_bytes(archive[:200])
    with pytest.raises(DataError, match="cannot read"):
        spec.load()(DataRequest(seed=0), n=2, split="train")
    (nowhere / CACHE / "cifar-100-binary.tar.gz").write_bytes(cifar_archive({"train": b"12"}))
    with pytest.raises(DataError, match="is damaged: 2 bytes of images of 3074"):
        spec.load()(DataRequest(seed=0), n=2, split="train")


def packed(member: str, *contents: tuple[str, str | bytes]) -> bytes:
    """An archive .tar.gz of files in this folder."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, content in contents:
            data = content.encode() if isinstance(content, str) else content
            entry = tarfile.TarInfo(f"{member}/{name}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


def clusters(problem: Problem) -> set[frozenset[str]]:
    """The names below each inner node of the truth."""
    tree, names = problem.truth, problem.names
    inner = range(tree.n, tree.n_nodes)
    return {frozenset(names[item] for item in tree.leaves(node)) for node in inner}


NOUNS = """  1 This software and database is being provided to you
00000001 05 n 01 mammal 0 003 @ 00000009 n 0000 ~ 00000002 n 0000 ~ 00000003 n 0000 | has milk
00000002 05 n 02 dog 0 hound 0 003 @ 00000001 n 0000 @ 00000008 n 0000 ~ 00000005 n 0000 | barks
00000003 05 n 01 cat 0 002 @ 00000001 n 0000 ~ 00000006 n 0000 | a pet; "it meows"
00000005 05 n 01 pug 0 001 @ 00000002 n 0000 | barks a little
00000006 05 n 01 tabby 0 001 @ 00000003 n 0000 | meows
00000007 05 n 01 tabby 0 001 @ 00000003 n 0000 | another that meows
00000008 05 n 01 pet 0 001 ~ 00000002 n 0000 | kept at home
"""
WORDS = """  1 This software and database is being provided to you
cat n 1 2 @ ~ 1 1 00000003
dog n 2 2 @ ~ 2 1 00000099 00000002
mammal n 1 2 @ ~ 1 1 00000001
"""


def test_nouns_of_wordnet_are_in_the_tree_of_their_first_hypernyms(nowhere, server, monkeypatch):
    archive = packed("package/dict", ("index.noun", WORDS), ("data.noun", NOUNS))
    server[hierarchies.WORDNET] = archive
    monkeypatch.setattr(hierarchies, "WORDNET_SHA256", sha256(archive).hexdigest())
    load, settings = SPECS["wordnet"].load(), {"root": "mammal", "sense": 1, "n": None}
    problem = load(DataRequest(seed=0), **settings)
    assert problem.names == ("pug", "tabby", "tabby 2")
    assert clusters(problem) == {frozenset({"tabby", "tabby 2"}), frozenset(problem.names)}
    cosines = (problem.vectors @ problem.vectors.T).toarray()
    assert cosines[1, 2] > 0 == cosines[0, 1]  # of the words, only "meows" is in two definitions
    for wrong, message in (
        ({"root": "fish"}, "'fish' is no noun of WordNet"),
        ({"root": "cat", "sense": 2}, "'cat' has 1 meanings; got sense=2"),
        ({"root": "dog", "sense": 2}, "1 nouns are below 'dog'; choose a wider noun"),
        ({"n": 4}, "n=4 exceeds the 3 items"),
    ):
        with pytest.raises(DataError, match=message):
            load(DataRequest(seed=0), **settings | wrong)
    (nowhere / CACHE / "wordnet" / "data.noun").write_text("00000001 05 n zz\n")
    with pytest.raises(DataError, match=r"data\.noun is damaged: '00000001 05 n zz"):
        load(DataRequest(seed=0), **settings)


def test_lemmas_and_stop_words_are_downloaded(nowhere, server, monkeypatch):
    database = packed("dict", ("index.noun", WORDS))
    contents = {
        "WORDNET": packed(
            "package", ("WNdb-3.0.tar.gz", database), ("data/noun.exc", "kine cat dog\n")
        ),
        "STOP_WORDS": packed("package/stopwords", ("dutch", "de\n"), ("english", "the\nan\n")),
    }
    for name, archive in contents.items():
        server[getattr(words, name)] = archive
        monkeypatch.setattr(words, f"{name}_SHA256", sha256(archive).hexdigest())
    lemma = words.wordnet("20newsgroups")
    # "thises": "this" is of the licence. Of two lemmas as short the first counts.
    assert [lemma(word) for word in ("dogs", "kine", "thises", "foxes")] == [
        "dog", "cat", "thises", "foxes",
    ]  # fmt: skip
    assert words.nltk_stop_words("20newsgroups") == {"the", "an"}


# The last two codes are of one sector, group and industry.
SECTORS = """definition = {
	"15": {"name": "Materials"}, "55": {"name": "Utilities"},
	"1510": {"name": "Materials"}, "5510": {"name": "Utilities"},
	"151010": {"name": "Chemicals"}, "551010": {"name": "Electric Utilities"},
	"551020": {"name": "Gas Utilities"},
	"15101010": {"name": "Diversified Chemicals", "description": "A range of chemicals."},
	"55102010": {"name": "Gas Utilities", "description": "Distribute natural gas."},
	"55101010": {"name": "Electric Utilities", "description": "Makers of power."},
	"55101020": {"name": "Windmills", "description": "Makers of more power."}
}"""


def test_sub_industries_have_the_levels_of_their_codes(nowhere, server, monkeypatch):
    archive = packed("gics-0.2.1/gics/definitions", ("d_20230318.py", SECTORS))
    server[hierarchies.GICS] = archive
    monkeypatch.setattr(hierarchies, "GICS_SHA256", sha256(archive).hexdigest())
    problem = SPECS["gics"].load()(DataRequest(seed=0))
    assert problem.names == (
        *("Diversified Chemicals", "Gas Utilities"),
        *("Electric Utilities", "Windmills"),
    )
    assert problem.class_names(1) == ["Materials", *["Utilities"] * 3]
    assert problem.class_names(3) == ["Chemicals", "Gas Utilities", *["Electric Utilities"] * 2]
    cosines = (problem.vectors @ problem.vectors.T).toarray()
    assert cosines[2, 3] > cosines[1, 2] > cosines[1, 3]  # they share many, few and no words
    for damaged in ('definition = {"15101010": {"name": "x"}}', "definition = {", "other = 1"):
        (nowhere / CACHE / "gics" / "d_20230318.py").write_text(damaged)
        with pytest.raises(DataError, match=r"d_20230318\.py is damaged"):
            SPECS["gics"].load()(DataRequest(seed=0))


PRODUCTS = """{"version": "2024-07", "verticals": [
{"name": "Pets", "prefix": "ap", "categories": [
  {"id": "ap", "name": "Pets", "parent_id": null},
  {"id": "ap-2", "name": "Bird Supplies", "parent_id": "ap"},
  {"id": "ap-2-1", "name": "Bird Food", "parent_id": "ap-2"},
  {"id": "ap-2-10", "name": "Toys", "parent_id": "ap-2"},
  {"id": "ap-3", "name": "Cat Food", "parent_id": "ap"}]},
{"name": "Toys", "prefix": "tg", "categories": [{"id": "tg", "name": "Toys", "parent_id": null}]}
]}"""


def test_products_are_in_the_tree_of_their_categories(nowhere, server, monkeypatch):
    archive = packed("package/dist", ("en.json", PRODUCTS))
    server[hierarchies._PRODUCTS] = archive
    monkeypatch.setattr(hierarchies, "_PRODUCTS_SHA256", sha256(archive).hexdigest())
    load = SPECS["products"].load()
    problem = load(DataRequest(seed=0), n=None)
    assert problem.names == ("Bird Food", "Toys", "Cat Food", "Toys 2")
    assert clusters(problem) == {
        frozenset({"Bird Food", "Toys"}),
        frozenset({"Bird Food", "Toys", "Cat Food"}),
        frozenset(problem.names),
    }
    cosines = (problem.vectors @ problem.vectors.T).toarray()
    assert cosines[0, 2] > 0 == cosines[0, 1]  # both are food
    first = {load(DataRequest(seed=seed), n=4).names[0].split()[0] for seed in range(8)}
    assert len(first) > 1, "a sample in the order of the tree would reveal it to ties"
    with pytest.raises(DataError, match="n=5 exceeds the 4 items"):
        load(DataRequest(seed=0), n=5)
    for damaged in ('{"verticals": [', '{"verticals": [{"categories": [{"id": "a"}]}]}', "[]"):
        (nowhere / CACHE / "products" / "en.json").write_text(damaged)
        with pytest.raises(DataError, match=r"en\.json is damaged"):
            load(DataRequest(seed=0), n=None)


def test_distances_of_pythons_are_of_sites_known_in_both(nowhere, server, monkeypatch):
    # a and b differ in 1 of 7 known sites, a and c in 3 of 8, b and c in 2 of 7.
    texts = (
        ("chars/pythonidae.chars.fasta", ">a x\nACGT\nACGT\n>b x\nACGTAC?A\n>c x\nagttacga\n"),
        ("trees/pythonidae.mle.newick", "((a_x:1,b_x:1):1,c_x:2);"),
    )
    archive = packed("DendroPy-4.6.4/tests/data", *texts)
    server[hierarchies.PYTHONS] = archive
    monkeypatch.setattr(hierarchies, "PYTHONS_SHA256", sha256(archive).hexdigest())
    problem = SPECS["pythons"].load()(DataRequest(seed=0))
    assert problem.names == ("a x", "b x", "c x")
    assert clusters(problem) == {frozenset({"a x", "b x"}), frozenset(problem.names)}
    ab, ac, bc = (-0.75 * math.log(1 - 4 / 3 * share) for share in (1 / 7, 3 / 8, 2 / 7))
    expected = 1 - np.array([[0, ab, ac], [ab, 0, bc], [ac, bc, 0]]) / ac
    np.testing.assert_allclose(problem.similarity, expected, rtol=1e-12)


def test_documents_of_reuters_have_one_path_of_topics(nowhere, monkeypatch):
    names = ["C15", "C151", "C1511", "CCAT", "E11", "ECAT"]
    has = [["CCAT", "C15", "C151"], ["CCAT", "ECAT"], ["ECAT"], ["CCAT", "C15", "E11"], ["C15"]]
    target = csr_array([[int(name in topics) for name in names] for topics in has])
    found = SimpleNamespace(data=csr_array(np.eye(5)), target=target, target_names=names)
    monkeypatch.setattr("sklearn.datasets.fetch_rcv1", lambda **_options: found)
    problem = SPECS["rcv1"].load()(DataRequest(seed=0), n=None, subset="train")
    assert problem.vectors.toarray().argmax(axis=1).tolist() == [0, 2]
    shown = [problem.class_names(level) for level in (1, 2, 3)]
    assert list(zip(*shown, strict=True)) == [("CCAT", "C15", "C151"), ("ECAT",) * 3]


def test_damaged_files_are_named(tmp_path):
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"abc" * 100)[:-9])
    with pytest.raises(DataError, match=r"cannot read .*a\.gz"):
        fetch.read_bytes(tmp_path / "a.gz")
    (tmp_path / "b.csv").write_bytes(b"ab\xff\0")
    with pytest.raises(DataError, match="byte 0xff is not UTF-8"):
        fetch.open_text(tmp_path / "b.csv")


def test_a_sample_is_distinct_items_in_their_order():
    rows = fetch.sampled_rows(50, 60, 3, "a")
    assert len(set(rows.tolist())) == 50
    assert (np.diff(rows) > 0).all()
    assert fetch.sampled_rows(None, 4, 0, "a").tolist() == [0, 1, 2, 3]
    assert fetch.sampled_rows(4, 4, 0, "a").tolist() == [0, 1, 2, 3]
    with pytest.raises(DataError, match="a: n=5 exceeds the 4 items"):
        fetch.sampled_rows(5, 4, 0, "a")


def test_openml_tables_are_read_as_the_repositorys_own():
    def openml(*_arguments, **_options):
        return SimpleNamespace(
            feature_names=["animal", "hair", "legs"],
            data=np.array([[1.0, 1.0, 4.0], [0.0, 0.0, 2.0]]),
            target=np.array(["mammal", "bird"]),
            categories={"animal": ["crow", "bear"]},
        )

    names, features, classes = uci.table_of_openml(openml, 62, "zoo", "", has_names=True)
    assert names == ["bear", "crow"]
    assert features.tolist() == [[1, 4], [0, 2]]
    assert classes == ["mammal", "bird"]


@pytest.mark.parametrize("name", [*PUBLIC, "20newsgroups-pca"])
def test_licence_and_paper_are_stated(name):
    assert SPECS[name].licence
    assert SPECS[name].paper is not None
