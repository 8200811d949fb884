import csv
import json

import numpy as np
import pytest

from forensics_training.locator.words import Model, Page, PageModel, found_by_others, draw_folds, in_folds, limit_for, read_pages, trees_of, with_words


def draw_pages(count=160, words=40):
    """In every other page the first word deviates in the second input."""
    random = np.random.default_rng(5)
    for number in range(count):
        inputs = random.standard_normal((words, 3)).astype(np.float32)
        share = np.zeros(words, np.float32)
        if number % 2:
            inputs[0, 1] += 6
            share[0] = 1
        yield Page(f"{number}.png", f"source {number % 16}", "saved", "scan", "typed", bool(number % 2), share, np.zeros_like(share), inputs, np.ones(6, np.float32))


@pytest.fixture(scope="module")
def pages():
    return list(draw_pages())


def read_tree(tree, inputs):
    node = tree[0]
    while len(node) > 1:
        value = inputs[node[0]]
        node = tree[node[4] if np.isnan(value) else node[2] if value <= node[1] else node[3]]
    return node[0]


def test_deviating_words_are_found_on_sources_that_were_not_fitted_on(pages):
    changed = np.array([page.changed for page in pages])
    _, log_odds, right = in_folds(pages)
    found = found_by_others(log_odds, changed, draw_folds(pages), 0.05)

    assert found[changed].mean() > 0.9 and found[~changed].mean() < 0.15
    assert right[found & changed].all()


def test_written_trees_give_what_was_fitted(pages):
    model = Model(pages)
    inputs = pages[1].inputs.copy()
    inputs[3, 1] = np.nan
    start = float(model.trees._baseline_prediction.ravel()[0])

    read = [start + sum(read_tree(tree, one) for tree in trees_of(model.trees)) for one in inputs]

    assert read == pytest.approx(model.trees.decision_function(inputs), abs=0.01)


def test_a_page_model_is_linear_in_what_it_reads(pages):
    random = np.random.default_rng(2)
    strongest, changed = random.standard_normal((200, 10)), random.random(200) < 0.5
    fitted = PageModel.fit(strongest + changed[:, None], changed)

    assert fitted.log_odds(np.ones(10)) - fitted.log_odds(np.zeros(10)) == pytest.approx(fitted.weights.sum())


def test_the_limit_is_exceeded_by_at_most_the_share_that_was_asked_for():
    assert (np.arange(1000.0) > limit_for(np.arange(1000.0), 0.01)).mean() <= 0.01


def test_what_the_service_read_becomes_pages(tmp_path):
    pair = tmp_path / "pairs"
    pair.mkdir()
    with (pair / "index.csv").open("w", newline="") as out:
        table = csv.writer(out)
        table.writerow(("number", "kind", "changed", "twin", "mask", "source", "history", "document"))
        table.writerow((0, "typed", "a.png", "b.png", "m.png", "someone/pages", "lossless", "scan"))
    rows = np.arange(3 * 8, dtype=np.float32).reshape(3, 8)
    rows.tofile(tmp_path / "words.f32")
    (tmp_path / "words.csv").write_text(f"pair,name,first,words,ofPage\n{pair},a.png,0,3,1 2 3 4 5 6\n{pair},b.png,3,0,\n")

    changed, twin = read_pages(tmp_path)

    assert changed.changed and changed.kind == "typed" and changed.source == "someone/pages"
    assert changed.share.tolist() == [0, 8, 16] and changed.original.tolist() == [1, 9, 17]
    assert changed.inputs.tolist() == rows[:, 6:].tolist()
    assert not twin.changed and len(twin.share) == 0


def test_the_manifest_keeps_everything_else():
    text = json.dumps({"id": "locate-1", "version": "1.0.0", "words": {"offset": 1}, "measured": []})
    written = json.loads(with_words(text, "1.1.0", {"offset": 2, "trees": [[[0, 1.5, 1, 2, 1], [1], [-1]]]}))

    del written["created"]
    assert written == {"id": "locate-1", "version": "1.1.0", "words": {"offset": 2, "trees": [[[0, 1.5, 1, 2, 1], [1], [-1]]]}, "measured": []}
