"""Files and folders of all kinds, and what is wrong with some of them."""

import json
import os

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from aluma.app import reading
from aluma.errors import BadInput
from aluma.reading import read_array
from aluma.reading.texts import How

FRAME = pd.DataFrame({"x": [1.5, 2.5, 3.5], "text": ["a b c d e", "f g h i j", "k l m n o"]})


def pairs(card):
    return {one.name: one.value for one in card.fields}


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "jsonl"])
def test_the_same_table_in_every_format(tmp_path, ending):
    path = tmp_path / f"t.{ending}"
    if ending == "parquet":
        pytest.importorskip("pyarrow")
        FRAME.to_parquet(path)
    elif ending == "jsonl":
        FRAME.to_json(path, orient="records", lines=True)
    else:
        FRAME.to_csv(path, sep="\t" if ending == "tsv" else ",", index=False)
    examples = reading.read(path)
    assert examples.frame["x"].tolist() == [1.5, 2.5, 3.5]
    card = examples.card(1)
    assert (card.kind, card.text) == ("text", "f g h i j")
    assert pairs(card) == {"x": "2.5"}


def test_nested_values_and_half_characters_are_shown_as_text(tmp_path):
    path = tmp_path / "t.jsonl"
    rows = [{"a": [1, {"b": 2}], "c": "x\ud800y"}, {"a": None, "c": "é"}]
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n\n")
    examples = reading.read(path)
    assert pairs(examples.card(0)) == {"a": '[1, {"b": 2}]', "c": "x?y"}
    assert pairs(examples.card(1)) == {"a": "", "c": "é"}


def test_long_texts_are_shown_in_part(tmp_path):
    path = tmp_path / "t.csv"
    pd.DataFrame({"text": ["word " * 10_000, "a b c d"]}).to_csv(path, index=False)
    examples = reading.read(path)
    card = examples.card(0)
    assert len(card.text) + card.more == 50_000
    assert card.more > 0
    assert examples.card(0, full=True).more == 0


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("t.csv", "", "is empty"),
        ("t.csv", "a,b\n1,2\n", "holds one example"),
        ("t.csv", "a,b\n", "no rows"),
        ("t.csv", "a,b\n1,2\n1,2,3\n", "cannot be read as csv"),
        ("t.jsonl", "[1, 2]\n", "line 1 holds no object"),
        ("t.jsonl", "{}\n{broken\n", "cannot be read as jsonl: line 2 is no JSON"),
        ("t.xlsx", "x", "must be a folder of images or a file"),
        ("t.npy", "nonsense", "cannot be read as an array .* numpy.save"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, name, content, says):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(BadInput, match=says):
        reading.read(path)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-8-sig"])
@pytest.mark.parametrize("name", ["t.csv", "t.txt", "t.json", "t.jsonl"])
def test_another_encoding_is_found_out_and_said(tmp_path, name, encoding):
    path, how = tmp_path / name, How()
    texts = ["the café in the old town", "über den Wolken, naïve"]
    written = {
        "t.csv": "text\n" + "\n".join(f'"{one}"' for one in texts),
        "t.txt": "\r\n".join(["", *texts, ""]),
        "t.json": json.dumps(texts, ensure_ascii=False),
        "t.jsonl": "\n".join(json.dumps({"text": one}, ensure_ascii=False) for one in texts),
    }[name]
    path.write_bytes(written.encode(encoding))
    assert reading.read(path, how=how).frame["text"].tolist() == texts
    assert any("--encoding" in note for note in how.notes) == (encoding != "utf-8-sig")
    named = How(encoding=encoding)
    assert reading.read(path, how=named).frame["text"].tolist() == texts
    assert not any("--encoding" in note for note in named.notes)


def test_a_wrong_encoding_is_said_with_the_way_out(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("text\ncafé\nb\n".encode("latin-1"))
    with pytest.raises(BadInput, match=r"byte \d+ is no utf-8. Name the right encoding"):
        reading.read(path, how=How(encoding="utf8"))
    with pytest.raises(BadInput, match="'klingon' is none that Python knows"):
        reading.read(path, how=How(encoding="klingon"))


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        (["x,y", "1,2", "3,4"], True),
        (["0,1,2", "0.5,1,7", "3,4,5"], True),
        (["year,2019,2020", "a,1,2", "b,3,4"], True),
        (["How often do you read a book before you go to sleep,b", "never,1", "often,2"], True),
        (["1.5,2", "3,4", "5,6"], False),
        (["1,a good film,pos", "2,a bad one,neg", "3,dull,neg"], False),
        (["spam,win a prize", "ham,hello", "spam,call now"], False),
        (["it was a long film and we slept through the second half", "I liked all of it very much",
          "not one of the actors could act"], False),
    ],
)  # fmt: skip
def test_a_first_line_that_is_an_example_is_not_lost(tmp_path, lines, named):
    path, how = tmp_path / "t.csv", How()
    path.write_text("\n".join(lines))
    assert len(reading.read(path, how=how)) == len(lines) - named
    assert bool(how.notes) == (not named)
    assert len(reading.read(path, how=How(header=True))) == len(lines) - 1
    assert len(reading.read(path, how=How(header=False))) == len(lines)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('{"a": 1}', "holds no list of examples"),
        ("[1, 2]", "example 1 is neither an object nor a text"),
        ("[{]", "line 1 is no JSON"),
    ],
)
def test_what_is_wrong_with_json_is_said(tmp_path, content, says):
    path = tmp_path / "t.json"
    path.write_text(content)
    with pytest.raises(BadInput, match=says):
        reading.read(path)


def test_semicolons_of_a_spreadsheet_separate_columns(tmp_path):
    path = tmp_path / "t.csv"
    FRAME.to_csv(path, sep=";", index=False)
    assert reading.read(path).frame.columns.tolist() == ["x", "text"]


def test_whole_numbers_beside_gaps_are_shown_whole(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n12345678,0.25\n,1234567.5\n")
    examples = reading.read(path)
    assert pairs(examples.card(0)) == {"x": "12345678", "y": "0.25"}
    assert pairs(examples.card(1)) == {"x": "", "y": "1.23457e+06"}


def test_columns_that_are_left_out_are_counted_and_can_be_had(tmp_path):
    path = tmp_path / "t.csv"
    pd.DataFrame(np.eye(30)).to_csv(path, index=False)
    examples = reading.read(path)
    card, whole = examples.card(0), examples.card(0, full=True)
    assert len(card.fields) + card.more_fields == len(whole.fields) == 30
    assert card.more_fields > 0
    assert whole.more_fields == 0


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(BadInput, match=r"there is no file or folder .*gone\.csv"):
        reading.read(tmp_path / "gone.csv")


def test_large_files_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    FRAME.to_csv(path)
    monkeypatch.setattr("aluma.reading.checks.MOST_BYTES", 10)
    with pytest.raises(BadInput, match="are the most"):
        reading.read(path)


def test_arrays_of_rows_and_of_images(tmp_path):
    rows = np.random.default_rng(0).standard_normal((5, 40))
    np.save(tmp_path / "rows.npy", rows)
    assert reading.read(tmp_path / "rows.npy").card(3).kind == "row"
    np.savez(tmp_path / "two.npz", other=[1], X=rows)
    assert read_array(tmp_path / "two.npz").shape == (5, 40)
    np.save(tmp_path / "images.npy", rows.reshape(5, 5, 8))
    examples = reading.read(tmp_path / "images.npy")
    media, content = examples.images.content(0)
    assert (examples.card(0).kind, media) == ("image", "image/png")
    assert content.startswith(b"\x89PNG")


def test_an_array_with_a_table_beside_it(tmp_path):
    np.save(tmp_path / "e.npy", np.ones((3, 4)))
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    examples = reading.read(tmp_path / "e.npy", tmp_path / "t.csv")
    assert examples.card(0).text == "a b c d e"
    FRAME.head(2).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(BadInput, match="2 rows"):
        reading.read(tmp_path / "e.npy", tmp_path / "t.csv")


def test_no_pickle_is_ever_loaded(tmp_path):
    np.save(tmp_path / "bad.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(BadInput, match="cannot be read as an array"):
        reading.read(tmp_path / "bad.npy")


def test_a_header_that_is_cut_short_is_said_to_be_broken(tmp_path):
    np.save(tmp_path / "cut.npy", np.eye(3))
    whole = (tmp_path / "cut.npy").read_bytes()
    (tmp_path / "cut.npy").write_bytes(whole.replace(b"(3, 3), }", b"(3, 3   "))
    with pytest.raises(BadInput, match="cannot be read as an array"):
        reading.read(tmp_path / "cut.npy")


def test_a_folder_gives_its_images_and_nothing_outside(tmp_path):
    folder, outside = tmp_path / "f", tmp_path / "outside.png"
    folder.mkdir()
    Image.new("RGB", (4, 4)).save(outside)
    Image.new("L", (6, 4)).save(folder / "b.png")
    Image.new("RGB", (4, 4)).save(folder / "a.jpg")
    (folder / "notes.txt").write_text("no image")
    (folder / ".hidden.png").write_bytes(outside.read_bytes())
    (folder / "link.png").symlink_to(outside)
    examples = reading.read(folder)
    assert [examples.title(i) for i in range(len(examples))] == ["a.jpg", "b.png"]
    assert examples.images.content(0)[0] == "image/jpeg"
    # A file that becomes a link afterwards is no way out either.
    (folder / "b.png").unlink()
    (folder / "b.png").symlink_to(outside)
    with pytest.raises(BadInput, match="no longer a file"):
        examples.images.content(1)


def test_a_photo_is_turned_as_a_browser_turns_it(tmp_path):
    for name in ("upright.jpg", "turned.jpg"):
        photo = Image.new("L", (6, 4))
        exif = photo.getexif()
        exif[0x0112] = 6 if name == "turned.jpg" else 1
        photo.save(tmp_path / name, exif=exif)
    examples = reading.read(tmp_path)
    sizes = {examples.title(i): examples.images.picture(i).size for i in range(2)}
    assert sizes == {"upright.jpg": (6, 4), "turned.jpg": (4, 6)}


def test_what_only_looks_like_an_image_is_refused(tmp_path):
    for name in ("x.png", "y.png"):
        (tmp_path / name).write_text("<svg onload=alert(1)>")
    examples = reading.read(tmp_path)
    with pytest.raises(BadInput, match="cannot be read as an image"):
        examples.images.content(0)


def test_broken_file_names_can_be_sent(tmp_path):
    name = os.fsdecode(b"caf\xe9.png")
    try:
        Image.new("L", (4, 4)).save(tmp_path / name, format="PNG")
        Image.new("L", (4, 4)).save(tmp_path / "second.png")
    except (OSError, UnicodeError):
        pytest.skip("this file system takes no such name")
    examples = reading.read(tmp_path)
    assert examples.card(0).model_dump_json()
    assert examples.images.content(0)[0] == "image/png"


def test_search_takes_all_words_in_any_case():
    examples = reading.as_examples(FRAME)
    assert examples.find("F J") == [1]
    assert examples.find("a j") == []
    assert examples.find("") == [0, 1, 2]


def test_the_digest_sees_every_byte(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a\n1\n")
    before = reading.digest([path])
    path.write_text("a\n2\n")
    assert reading.digest([path]) != before
