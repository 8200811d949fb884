import json
import shutil
import zipfile
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch
from PIL import Image

from forensics_training.backbone import export, fuse, kinds, pack
from forensics_training.backbone import adapt
from forensics_training.backbone.adapt import Pool, loss_of, view_group
from forensics_training.backbone.dinov2 import BLOCKS, ViT, as_batch
from forensics_training.backbone.inputs import SIDE, squeezed, textured_square, textured_squares
from forensics_training.backbone.lora import BLOCKS_USED, KINDS, Adapted
from forensics_training.backbone.recover import recovered
from forensics_training.degrade import batches
from forensics_training.degrade.codecs import save_jpeg
from forensics_training.runtime.model_files import open_session


def noise(height, width, seed=0, step=10):
    small = np.random.default_rng(seed).integers(0, 256, (-(-height // step), -(-width // step), 3), np.uint8)
    return cv2.resize(small, (width, height))


def test_the_position_table_follows_the_size_of_the_picture():
    vit = ViT().eval()
    with torch.no_grad():
        blocks = vit(as_batch([np.zeros((56, 84, 3), np.uint8)]))

    assert [tuple(block.shape) for block in blocks] == [(1, 1 + 4 * 6, 384)] * BLOCKS


def test_squares_are_the_most_textured_and_do_not_overlap():
    rgb = np.zeros((600, 900, 3), np.uint8)
    rgb[:SIDE, 448 : 448 + SIDE] = 4 * np.indices((SIDE, SIDE)).sum(0)[..., None] % 8
    rgb[336:560, 112 : 112 + SIDE] = np.random.default_rng(0).integers(0, 256, (SIDE, SIDE, 3))

    first, second = textured_squares(rgb, 2)

    assert (first == rgb[336:560, 112 : 112 + SIDE]).all() and (second == rgb[:SIDE, 448 : 448 + SIDE]).all()
    assert textured_squares(rgb[:200], 2) == []
    assert textured_square(rgb[:150, :190], SIDE).shape == (150, 150, 3)


def test_a_queue_takes_one_picture_of_each_source_before_the_second_of_any():
    rows = [{"key": f"{source}{at}", "source": source, "part": "train", "label": "real"} for source in "ab" for at in range(3)]
    sources = [row["source"] for row in pack.queue(rows, "train", most=2)]

    assert sorted(sources[:2]) == sorted(sources[2:]) == ["a", "b"]


def test_a_packed_jpeg_keeps_its_tables(tmp_path):
    path = tmp_path / "a.jpg"
    cv2.imwrite(str(path), noise(900, 1000), [cv2.IMWRITE_JPEG_QUALITY, 71])
    row = {"key": "abc", "file": str(path), "part": "train", "label": "real", "generator": "camera", "source": "s", "class": ""}

    found = pack.pack_train(row)

    squares = [entry for entry, _ in found if entry["input"] == "square"]
    assert {entry["input"] for entry, _ in found} == {"view", "square", "small"} and len(squares) == 2
    assert all(entry["quality"] in (71, 100) for entry in squares)


def test_windows_of_a_picture_are_further_views(tmp_path):
    Image.fromarray(noise(700, 900)).save(tmp_path / "large.png")
    Image.fromarray(noise(400, 900)).save(tmp_path / "small.png")
    views = lambda name: [entry for entry, _ in pack.pack_train({name: "a" for name in ("key", "part", "label", "generator", "source", "class")} | {"file": str(tmp_path / name)}) if entry["input"] == "view"]
    assert len(views("large.png")) == 1 + pack.WINDOWS
    assert len(views("small.png")) == 1


@pytest.mark.parametrize("quality,subsample", [(40, True), (75, False), (95, True)])
def test_a_save_on_the_device_is_that_of_libjpeg(quality, subsample):
    rgb = noise(64, 96, step=3)
    shown = torch.from_numpy(rgb).permute(2, 0, 1)[None].float()
    saved = batches.jpeg(shown, torch.tensor([float(quality)]), subsample)[0].permute(1, 2, 0).numpy()
    expected = save_jpeg(rgb, quality, subsample).astype(float)

    assert np.abs(saved - expected).mean() < 0.4 * np.abs(expected - rgb).mean()


def test_degraded_squares_and_views_have_the_side_that_was_asked_for():
    random = np.random.default_rng(1)
    rgb = torch.from_numpy(noise(384, 384)).permute(2, 0, 1)[None].float().repeat(6, 1, 1, 1)

    for scale in (0.6, 1.0, 1.3):
        assert batches.degrade_squares(rgb, torch.arange(6) < 3, scale, SIDE, random).shape == (6, 3, SIDE, SIDE)
    assert batches.degrade_views(rgb[..., :288, :288], SIDE, random).shape == (6, 3, SIDE, SIDE)


def test_merged_weights_say_the_same_and_only_the_changes_are_learned():
    model = Adapted(ViT(), rank=2).eval()
    for name, value in model.learned().items():
        if name.endswith(".up"):
            torch.nn.init.normal_(value, std=0.02)
    rgb, kind = torch.rand(2, 3, SIDE, SIDE) * 255, torch.tensor([0, 1])
    with torch.no_grad():
        apart = model(rgb, kind)[0]
        together = model.merge()(rgb, kind)[0]

    assert len(model.vit.blocks) == BLOCKS_USED
    assert torch.allclose(apart, together, atol=1e-4)


def test_a_shipped_transformer_can_be_adapted_again(tmp_path):
    torch.manual_seed(1)
    weights, run, shipped = (tmp_path / name for name in ("vit.pt", "run.pt", "transformer.onnx"))
    vit = ViT().eval()
    torch.save(vit.state_dict(), weights)
    model = Adapted(vit, 2)
    learned = {name: value.detach() + 0.05 * torch.randn_like(value) for name, value in model.learned().items()}
    torch.save({"average": learned, "rank": 2}, run)
    before = export.load(weights, [run])
    export.export(before, shipped)

    state, start = recovered(shipped, weights)

    vit = ViT()
    vit.load_state_dict(state)
    after = Adapted(vit).eval()
    assert not after.load_state_dict(start, strict=False).unexpected_keys
    rgb = as_batch([np.ascontiguousarray(noise(SIDE, SIDE, seed)) for seed in range(4)])
    for kind in (0, 1):
        with torch.no_grad():
            wanted, found = (one(rgb, torch.full((4,), kind))[0] for one in (before, after))
        assert (wanted - found).abs().max() < 0.1 * wanted.abs().max()


def test_a_batch_of_views_teaches_label_and_kind(tmp_path):
    entries = [("real", ""), ("ai-generated", ""), ("neither", "screenshot")]
    with zipfile.ZipFile(tmp_path / "train-00.zip", "w") as file:
        for at in range(3):
            file.writestr(str(at), cv2.imencode(".png", squeezed(noise(300, 300, at), 288))[1].tobytes())
        index = [{"input": "view", "label": label, "class": kind, "source": label, "generator": "", "quality": 100} for label, kind in entries]
        file.writestr("index.json", json.dumps(index))
    pool = Pool(tmp_path, "cpu")
    pool.read_new()
    assert pool.take_up() and not pool.take_up()

    rgb, generated, kinds, _ = group = view_group(pool, 32, np.random.default_rng(5))

    assert set(generated.tolist()) == {-1, 0, 1}
    assert (kinds[generated < 0] == KINDS.index("screenshot")).all() and (kinds[generated >= 0] == 0).all()
    model = Adapted(ViT(), rank=2)
    loss_of(model, [], [tuple(value[:4] for value in group)]).backward()
    assert model.vit.blocks[0].qkv.up.grad is not None and model.vit.blocks[0].qkv.linear.weight.grad is None


def test_weights_of_the_join_are_never_negative_and_a_tail_limit_leaves_its_share():
    random = np.random.default_rng(2)
    fake = np.arange(4000) % 2 == 1
    x = np.stack([random.normal(fake, 1), random.normal(-0.3 * fake, 1)], 1)
    w = fuse.fit(x, fake, np.full(4000, 1 / 4000))
    z = random.exponential(1, 20000)

    assert w[0] > 0.5 and w[1] == 0
    assert np.mean(z > fuse.tail_limit(z, np.ones(20000), 0.004)) == pytest.approx(0.004, abs=0.0015)
    assert np.mean(z > fuse.tail_limit(z, np.ones(20000), 0.08)) == pytest.approx(0.08, abs=0.01)


def test_limits_of_fake_rise_as_pictures_get_smaller():
    row = {"label": "real", "source": "a", "size": (1000, 2000)}
    said = {"logits": np.zeros(3), "passes": np.zeros((2, 3)), "view": 0.0, "squares": [0.0]}
    table = fuse.Table([row | {"said": dict.fromkeys(fuse.CONDITIONS, said)}, row | {"size": (100, 100), "said": dict.fromkeys(fuse.CONDITIONS, said)}], 1)

    least = fuse.fake_min(table, {"fakeMin": {"default": 0.8}}, "default")

    assert least[0] == pytest.approx(0.8) and np.all(least[table.halvings > 5] == pytest.approx(fuse.sigmoid(np.log(4) + 0.4 * np.log2(40))))
    assert np.all(np.diff(table.halvings[:3]) >= 0)


def test_a_picture_below_the_limit_is_named_by_the_likeliest_of_the_other_kinds(capsys):
    logits = np.log([0.4, 0.05, 0.4, 0.05, 0.05, 0.05])
    row = {"label": "neither", "class": "rendering", "said": {"as is": {"kinds": logits}}}

    fuse.judge_kinds([row])

    assert capsys.readouterr().out == "rendering: 1 pictures, taken for photographs 0.00, named as what they are 1.00\n"


def test_kinds_are_taught_to_the_head_and_nothing_else_changes(tmp_path, monkeypatch):
    shipped = Path(__file__).parents[3] / "trace-3"
    model = tmp_path / "model"
    model.mkdir()
    for name in ("manifest.json", "transformer.onnx"):
        shutil.copy(shipped / name, model / name)
    listed = ["key,file,part,label,generator,source"]
    for at in range(9):  # stripes are labelled as drawings
        rgb = noise(300, 300, at) if at < 4 else np.broadcast_to(np.arange(300)[:, None, None] // (10 + at) % 2 * np.uint8(200), (300, 300, 3))
        cv2.imwrite(str(tmp_path / f"{at}.png"), rgb)
        part = "val" if at in (3, 8) else "calibration"
        listed.append(f"{at},{tmp_path / f'{at}.png'},{part},{'real' if at < 4 else 'neither'},cartoon,source-{at}")
    (tmp_path / "list.csv").write_text("\n".join(listed))
    (tmp_path / "classes.csv").write_text("blob_sha,class\n")
    given = ["--list", tmp_path / "list.csv", "--classes", tmp_path / "classes.csv", "--kept", tmp_path / "kept.pkl", "--model", model, "--version", "9.0.0"]
    monkeypatch.setattr("sys.argv", ["backbone-kinds", *map(str, given)])

    kinds.main()

    view = {"rgb": squeezed(cv2.imread(str(tmp_path / "8.png")))[None], "square": np.zeros(1, np.float32)}
    before, after = (open_session(folder / "transformer.onnx").run(None, view) for folder in (shipped, model))
    assert after[0] == before[0]
    assert after[1][0].argmax() == KINDS.index("drawing") and fuse.shares(after[1][0])[1] > fuse.shares(before[1][0])[1]
    manifest = json.loads((model / "manifest.json").read_text())
    assert manifest["version"] == "9.0.0" and manifest["files"]["transformer.onnx"] == kinds.describe_file(model / "transformer.onnx")


def test_a_stopped_adaptation_goes_on_where_it_was(tmp_path, monkeypatch):
    pictures = [(label, kind) for label in ("real", "ai-generated") for kind in ("view", "square")]
    for name, shared in (("train-00", {}), ("check", {"part": "calibration", "condition": "as is"})):
        with zipfile.ZipFile(tmp_path / f"{name}.zip", "w") as file:
            for at in range(len(pictures)):
                side = SIDE if name == "check" else 448
                file.writestr(str(at), cv2.imencode(".png", squeezed(noise(460, 460, at), side))[1].tobytes())
            index = [{"key": label, "input": kind, "label": label, "class": "", "source": label, "generator": "", "quality": 100} | shared for label, kind in pictures]
            file.writestr("index.json", json.dumps(index))
    torch.save(ViT().state_dict(), tmp_path / "vit.pt")
    given = f"backbone-adapt --weights {tmp_path}/vit.pt --pictures {tmp_path} --out {tmp_path} --group 2 --groups 1 1 --rank 2 --patches 0.5 --check-steps 1"

    reached = []
    for steps in (1, 3):
        monkeypatch.setattr("sys.argv", [*given.split(), "--steps", str(steps)])
        adapt.main()
        state = torch.load(tmp_path / "last.pt")
        reached.append((state["step"], {int(one["step"]) for one in state["optimiser"]["state"].values()}))

    assert reached[0] == (1, {1}) and reached[1] == (3, {3})
