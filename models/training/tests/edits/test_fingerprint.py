import pytest

from forensics_training.edits.fingerprint import bare, keep

SEEDED = {"code": "a", "seed": 3}


@pytest.fixture
def made(tmp_path):
    """Has one file kept, and tells each time whether it was made."""
    calls = []

    def make(path, text="numbers"):
        calls.append(path)
        path.write_text(text)

    def asked(made_from, text="numbers") -> bool:
        before = len(calls)
        keep(tmp_path / "deep" / "table.npz", made_from, lambda path: make(path, text))
        return len(calls) > before

    return asked


def test_what_is_there_is_kept_as_long_as_it_would_be_made_from_the_same(made, capsys):
    assert [made(SEEDED), made(SEEDED)] == [True, False]
    assert capsys.readouterr().out == "deep/table.npz\n"


def test_what_was_made_from_something_else_is_made_anew_and_the_change_is_named(made, tmp_path, capsys):
    made(SEEDED)
    capsys.readouterr()

    assert made(SEEDED | {"seed": 4, "count": 9}, "others")

    assert "deep/table.npz is made anew (changed: count, seed)" in capsys.readouterr().out
    assert (tmp_path / "deep" / "table.npz").read_text() == "others"


def test_what_does_not_say_what_it_was_made_from_is_made_anew(made, tmp_path, capsys):
    made(SEEDED)
    (tmp_path / "deep" / "table.made-from.json").unlink()
    capsys.readouterr()

    assert made(SEEDED)
    assert "made anew (nothing says what it was made from)" in capsys.readouterr().out


def test_work_that_is_cut_off_leaves_no_note_behind_and_is_done_again(made, tmp_path):
    made(SEEDED)

    def cut_off(path):
        path.write_text("half of it")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        keep(tmp_path / "deep" / "table.npz", SEEDED | {"seed": 4}, cut_off)

    assert (tmp_path / "deep" / "table.npz").read_text() == "numbers"
    assert made(SEEDED)


def test_code_is_told_apart_by_what_it_does_not_by_how_it_is_described():
    plain = "def double(x):\n    return x * 2\n"
    described = '"""Numbers."""\n\n\ndef double(x):  # twice\n    """Twice `x`."""\n    return (\n        x * 2\n    )\n'

    assert bare(plain) == bare(described)
    assert bare(plain) != bare(plain.replace("2", "3"))
