import numpy as np
import pytest
from PIL import Image, ImageDraw

from forensics_training.edits.documents import capture, draw_page, exported, find_words, font, line_of, replace_found_words, replace_words


@pytest.fixture(scope="module")
def page():
    return draw_page(700, 620, ("",), np.random.default_rng(3))


def test_a_page_has_words_where_it_says(page):
    found = find_words(page.rgb)
    assert len(found) > 20
    for one in page.words[1:6]:
        assert any(abs(left - one.left) < 2 * one.size and one.top - 4 <= top <= one.top + 2 * one.size for left, top, _, _ in found)


@pytest.mark.parametrize("seed", range(6))
def test_nothing_changes_outside_the_mask(page, seed):
    random = np.random.default_rng(seed)
    ground = random.integers(0, 256, (640, 600, 3)).astype(np.uint8)
    captured = capture(page, ground, random)

    for before, piece in ((captured.rgb, replace_words(captured, ("",), random)), (page.rgb, replace_found_words(page.rgb, ("",), random))):
        same = (piece.rgb == before).all(2)
        assert same[piece.share == 0].all()
        assert not same.all()


def test_what_a_program_exports_has_the_pixels_of_the_page(page):
    captured = exported(page, (500, 800))
    assert captured.rgb.shape == (500, 800, 3)
    assert (captured.rgb[:, :620] == page.rgb[:500]).all()


def test_a_picture_without_words_is_left_alone():
    assert replace_found_words(np.full((300, 300, 3), 200, np.uint8), ("",), np.random.default_rng(1)) is None


@pytest.mark.parametrize("text", ["gypsum", "(12,50)", "1,234", "nonsense"])
def test_the_line_of_a_word_ignores_letters_below_it_and_counts_the_tall_ones_of_its_row(text):
    sheet = Image.new("RGB", (420, 80), "white")
    letters = font("", 24)
    for at, one in ((20, "Hotel 10"), (150, text), (290, "bread 7")):
        ImageDraw.Draw(sheet).text((at, 50), one, "black", letters, anchor="ls")
    rgb = np.asarray(sheet)
    box = next(one for one in find_words(rgb) if 145 < one[0] < 160)
    tall, baseline = line_of(rgb, box)
    assert abs(baseline - 50) <= 1
    assert -letters.getbbox("H", anchor="ls")[1] <= tall <= -letters.getbbox("l", anchor="ls")[1] + 2
