"""Pools in files and on clusters, wherever examples can be passed: as in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from aluma import ActiveClassifier, ALuMA, Passive, Session, SimpleMargin
from aluma.app.model import model
from aluma.app.opening import Wanted, opened
from aluma.app.similar import nearest
from aluma.app.stored import of_store
from aluma.cli import app
from aluma.errors import BadInput, ClusterLost, Unreadable
from aluma.pool import Pool
from aluma.pool.dask_arrays import connected
from evidence import generator

zarr = pytest.importorskip("zarr")
distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.timeout(120)]

#: Enough rows that a sample stands for the pool, if it is as small as here.
MANY = 18_000
W = np.array([1.0, -0.5, 0.25])


@pytest.fixture(autouse=True)
def small_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aluma.pool.sample.MOST_ROWS", 4096)


@pytest.fixture(scope="module")
def numbers() -> np.ndarray:
    return generator(0).standard_normal((MANY, 3)).astype(np.float32) + np.float32(0.5)


@pytest.fixture(scope="module")
def truth(numbers: np.ndarray) -> np.ndarray:
    return np.where(numbers @ W >= 0.3, "yes", "no")


@pytest.fixture(scope="module")
def store(numbers: np.ndarray, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stores") / "x.zarr"
    array = zarr.create_array(store=str(path), shape=numbers.shape, chunks=(2_500, 3), dtype="f4")
    array[:] = numbers
    return path


def asked(learner: Any, truth: np.ndarray, n: int) -> list[int]:
    questions = []
    for _ in range(n):
        questions.append(int(learner.ask()))
        learner.tell(questions[-1], str(truth[questions[-1]]))
    return questions


@pytest.mark.parametrize("kind", [ALuMA, SimpleMargin, Passive])
def test_learners_with_their_own_settings(
    kind: Any, numbers: np.ndarray, truth: np.ndarray, store: Path, client: Any
) -> None:
    found = []
    for X, more in ((numbers, {}), (store, {}), (store, {"client": client})):
        learner = kind(X, classes=("no", "yes"), bias=True, n_hypotheses=100, **more)
        questions = asked(learner, truth, 5)
        found.append((questions, learner.predict().tolist(), str(learner.certificate())))
    assert found[0] == found[1] == found[2]


def test_three_classes_on_a_cluster(numbers: np.ndarray, store: Path, client: Any) -> None:
    labels = np.array(["a", "b", "c"])[np.argmax(numbers, axis=1)]
    settings: dict[str, Any] = {"classes": ("a", "b", "c"), "n_hypotheses": 100}
    found = []
    for X in (numbers, Pool.open(store, client=client)):
        learner = ALuMA(X, **settings)
        found.append((asked(learner, labels, 6), learner.predict().tolist()))
    assert found[0] == found[1]


def test_a_session_is_about_the_numbers_wherever_they_are(
    numbers: np.ndarray, truth: np.ndarray, store: Path, client: Any, tmp_path: Path
) -> None:
    settings: dict[str, Any] = {"classes": ("no", "yes"), "n_hypotheses": 64, "bias": True}
    with Session.create(tmp_path / "s.aluma", store, **settings) as session:
        asked(session, truth, 3)
        following = session.ask()
    for X in (str(store), numbers, Pool.open(store, client=client)):
        with Session.open(tmp_path / "s.aluma", X) as session:
            assert session.ask() == following
    with pytest.raises(TypeError, match="not written into a session"):
        Session.create(tmp_path / "t.aluma", store, client=client, **settings)


def test_the_estimator(numbers: np.ndarray, truth: np.ndarray, store: Path, client: Any) -> None:
    settings: dict[str, Any] = {"budget": 8, "n_hypotheses": 100}
    in_memory = ActiveClassifier(**settings).fit(Pool(numbers), truth)
    for X in (store, Pool.open(store, client=client), zarr.open(store=str(store), mode="r")):
        model = ActiveClassifier(**settings).fit(X, truth)
        assert model.queried_.tolist() == in_memory.queried_.tolist()
        assert (model.labels_ == in_memory.labels_).mean() > 0.999
        np.testing.assert_allclose(model.coef_, in_memory.coef_, rtol=1e-3)
        assert (model.predict(X) == model.predict(numbers)).all()
    assert (in_memory.predict(numbers) == truth).mean() > 0.8
    with pytest.raises(ValueError, match="makes features in memory"):
        ActiveClassifier(kernel="rbf").fit(store, truth)


def test_the_command_run(
    numbers: np.ndarray, truth: np.ndarray, store: Path, tmp_path: Path
) -> None:
    labels = tmp_path / "labels.csv"
    pd.DataFrame({"kind": truth}).to_csv(labels, index=False)
    few = ["--budget", "4", "--repeats", "1", "--no-compare", "--out", str(tmp_path / "out")]
    run = ["run", str(store), "--labels", str(labels), "--label-column", "kind", *few]
    found = CliRunner(env={"COLUMNS": "200"}).invoke(app, run)
    assert found.exit_code == 0, found.output
    assert "18,000 rows of 3 numbers, read where they are" in found.output
    labelled = pd.read_csv(tmp_path / "out" / "labelled-pool.csv")
    assert len(labelled) == MANY
    found = CliRunner().invoke(app, ["run", str(store), "--label-column", "kind"])
    assert found.exit_code != 0
    assert "--labels" in found.output


def test_the_command_run_and_the_page_on_a_cluster(
    numbers: np.ndarray, truth: np.ndarray, tmp_path: Path
) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    lists = pa.FixedSizeListArray.from_arrays(pa.array(numbers.ravel()), 3)
    path = tmp_path / "x.parquet"
    parquet.write_table(pa.table({"e": lists, "kind": truth}), path, row_group_size=4_000)
    few = ["--budget", "3", "--repeats", "1", "--no-compare", "--out", str(tmp_path / "out")]
    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        dashboard_address="127.0.0.1:0",
        protocol="tcp",
        host="127.0.0.1",
    ) as cluster:
        run = ["run", str(path), "--label-column", "kind", *few]
        run += ["--scheduler", cluster.scheduler_address]
        found = CliRunner(env={"COLUMNS": "200"}).invoke(app, run)
        things = tmp_path / "things.csv"
        pd.DataFrame({"text": [f"thing {i}" for i in range(MANY)]}).to_csv(things, index=False)
        address = cluster.scheduler_address
        page = Wanted(things, tmp_path / "s.aluma", embeddings=path, scheduler=address)
        desk = opened(page).desk
        asked(desk.session, truth, 1)
        desk.close()
        distributed.default_client().close()
    assert found.exit_code == 0, found.output
    assert "read by the workers of tcp://127.0.0.1" in " ".join(found.output.split())


def test_a_scheduler_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aluma.pool.dask_arrays.CONNECT_SECONDS", 0.2)
    assert connected(None) is None
    with pytest.raises(ClusterLost, match=r"no Dask scheduler answers at 'tcp://127\.0\.0\.1:1'"):
        connected("tcp://127.0.0.1:1")


def test_the_page_learns_from_a_store(
    numbers: np.ndarray, truth: np.ndarray, store: Path, tmp_path: Path
) -> None:
    things = tmp_path / "things.csv"
    pd.DataFrame({"text": [f"thing {i}" for i in range(MANY)]}).to_csv(things, index=False)
    wanted = Wanted(things, session=tmp_path / "s.aluma", embeddings=store, hypotheses=100)
    found = opened(wanted)
    session = found.desk.session
    for i in asked(session, truth, 4):
        assert i < MANY
    near = nearest(found.features, 7, 3).tolist()
    apart = ((numbers - numbers[7]) ** 2).sum(axis=1)
    assert near == np.argsort(apart, kind="stable")[1:4].tolist()
    assert model(found.desk, found.features)["parts"][0]["kind"] == "embedding"
    following = session.ask()
    found.desk.close()
    kept = (tmp_path / "s.features.npz").stat().st_size
    assert kept < numbers.nbytes + 16 * MANY
    again = opened(wanted)
    assert again.desk.session.n_answers == 4
    assert again.desk.session.ask() == following
    again.desk.close()
    with pytest.raises(BadInput, match="--scheduler is for embeddings"):
        opened(Wanted(things, session=tmp_path / "t.aluma", scheduler="tcp://127.0.0.1:1"))


def test_features_on_a_cluster_are_those_of_the_file(
    numbers: np.ndarray, store: Path, client: Any
) -> None:
    here, there = of_store(store).X, of_store(store, client).X
    np.testing.assert_allclose(here[[3, 9_000]], there[[3, 9_000]], rtol=1e-5)
    np.testing.assert_allclose(np.mean(here[:] ** 2), 1.0, rtol=0.01)


def test_bad_chunks_are_named_by_workers_too(
    numbers: np.ndarray, client: Any, tmp_path: Path
) -> None:
    wrong = numbers.copy()
    wrong[9_000, 1] = np.nan
    path = tmp_path / "x.npy"
    np.save(path, wrong)
    with pytest.raises(ValueError, match=r"nan at row 9000, column 1, in rows 0 to .*x\.npy"):
        Pool.open(path, client=client)
    broken = tmp_path / "b.zarr"
    zarr.create_array(store=str(broken), shape=(MANY, 3), chunks=(2_500, 3), dtype="f4")[:] = (
        numbers
    )
    chunk = sorted(one for one in (broken / "c").rglob("*") if one.is_file())[2]
    chunk.write_bytes(b"no chunk at all")
    with pytest.raises(Unreadable, match=r"chunk.*b\.zarr.*cannot be read"):
        Pool.open(broken, client=client)
