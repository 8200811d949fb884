from data import Item, fold_of_sources
from folds import FOLDS, weights_of


def pictures() -> list[Item]:
    sizes = {f"site {number}": 3 * number + 1 for number in range(20)}
    return [Item(f"{source}/{n}", "train", fake, "any", source, 1, 1, 0, 100)
            for source, count in sizes.items() for n in range(count) for fake in (False, True)]  # fmt: skip


def test_every_source_lies_in_one_fold_and_no_fold_is_without_either_class():
    folds = fold_of_sources(pictures(), FOLDS)

    assert len(folds) == 40
    for fake in (False, True):
        assert {fold for (_, label), fold in folds.items() if label == fake} == set(range(FOLDS))


def test_folds_hang_on_the_pictures_and_not_on_their_order():
    assert fold_of_sources(pictures(), FOLDS) == fold_of_sources(pictures()[::-1], FOLDS)


def test_both_classes_weigh_the_same():
    items = pictures()[:-30]

    weights = weights_of(items)

    for fake in (False, True):
        assert abs(sum(w for w, item in zip(weights, items) if item.fake == fake) - 1) < 1e-9
