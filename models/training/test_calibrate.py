import numpy as np

from calibrate import least_fake, ordered


def test_the_least_threshold_spares_what_is_allowed_of_all_and_of_every_source():
    p = np.arange(100) / 100
    sources = np.where(p < 0.8, "good", "bad")

    assert least_fake(p, sources, (0.0, 0.0)) == 0.99 + 1e-4
    assert least_fake(p, sources, (0.2, 1.0)) == 0.8 + 1e-4
    assert least_fake(p, sources, (0.2, 0.1)) == 0.98 + 1e-4


def test_a_source_of_few_readings_has_no_say_of_its_own():
    p = np.array([0.1] * 100 + [0.9] * 19)

    assert least_fake(p, np.array(["many"] * 100 + ["few"] * 19), (0.5, 0.0)) == 0.5


def test_thresholds_fall_from_pedantic_to_relaxed_also_where_the_margin_left_nothing_to_limit():
    assert ordered({"pedantic": 0.5, "default": 0.9, "relaxed": 0.7}) == {"pedantic": 0.9, "default": 0.9, "relaxed": 0.7}
