"""The script that measures on a GPU, at a tiny scale on what there is: that it measures, and what failures do."""

import json
import sys
import time

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

import on_a_gpu
import torch
from measuring import parts
from measuring.parts import requires
from measuring.place import Failed, Place, Skipped
from measuring.random_model import long_system_prompt, write_random_model
from measuring.rewards_cost import batch
from measuring.scale import LARGE, SMALL
from on_a_gpu import allotted, main
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

PARTS = ["default", "rewards", "vllm", "lora", "fsdp2", "all_weights", "curve"]


def place(folder, seconds=60.0):
    return Place(folder, SMALL, time.time() + seconds)


@pytest.mark.full
def test_everything_at_a_tiny_scale(tmp_path):
    main(["--small", "--minutes", "30", "--output_dir", str(tmp_path)])
    found = json.loads((tmp_path / "results.json").read_text())
    outcomes = {name: part["outcome"] for name, part in found["parts"].items()}
    on_gpu = {} if torch.cuda.is_available() else {"fsdp2": "skipped"}  # accelerate shards on no CPU
    assert outcomes == dict.fromkeys(PARTS, "done") | on_gpu | {"vllm": outcomes["vllm"]}
    for name in ("default", "lora", "all_weights", "curve"):
        one = found["parts"][name]
        assert one["step"] == pytest.approx(sum(one["parts"].values()))
        assert {"generation", "rewards", "forward", "backward", "optimizer"} <= set(one["parts"])
        assert all(seconds > 0 for seconds in one["parts"].values())
        assert len(one["rewards"]) == len(one["tokens"]) == len(one["steps"])
        assert not list((tmp_path / name).rglob("*.safetensors"))
    assert found["parts"]["lora"]["state"]["adapter"]
    assert found["parts"]["all_weights"]["state"]["checkpointed"]
    assert found["parts"]["all_weights"]["on_paper"] > 0
    assert found["parts"]["rewards"]["boxed_answer and three more"]["right"] == 0.5
    assert len(found["parts"]["curve"]["exams"]["by_step"]) > 1
    page = (tmp_path / "results.md").read_text()
    assert f"- torch: {torch.__version__}" in page
    assert "| all_weights | 2 | 24 |" in page


@pytest.mark.full
def test_one_part_runs_the_recipe_and_says_on_what(tmp_path):
    """The same as above of one part, for it takes a tenth of the time."""
    assert main(["--small", "--only", "all_weights", "--minutes", "30", "--output_dir", str(tmp_path)]) == 0
    one = json.loads((tmp_path / "results.json").read_text())["parts"]["all_weights"]
    assert one["step"] == pytest.approx(sum(one["parts"].values()))
    assert {"generation", "rewards", "preparing", "forward", "backward", "optimizer"} == set(one["parts"])
    assert all(seconds > 0 for seconds in one["parts"].values())
    assert len(one["rewards"]) == len(one["steps"]) == 2
    assert (one["state"]["precision"], one["state"]["checkpointed"], one["state"]["adapter"]) == ("bf16", True, False)


def test_a_part_that_fails_is_reported_and_the_others_go_on(tmp_path, monkeypatch, capsys):
    def fails(place):
        raise ZeroDivisionError("of a step")

    def cannot(place):
        raise Skipped("no vLLM")

    def starts(place):
        place.start(sys.executable, "-c", "print('so far'); 1 + None")

    def measures(place):
        return {"completions": 2, "tokens": 3, "ours": {"first": 1.0, "median": 0.5, "right": 1.0}}

    for name, measure in {"default": fails, "lora": starts, "vllm": cannot, "rewards": measures}.items():
        monkeypatch.setitem(parts.PARTS, name, parts.Part(measure, 0.1))
    assert main(["--only", "default", "lora", "vllm", "rewards", "--output_dir", str(tmp_path)]) == 1
    found = json.loads((tmp_path / "results.json").read_text())["parts"]
    told = {name: part["outcome"] for name, part in found.items()}
    assert told == {"default": "failed", "rewards": "done", "lora": "failed", "vllm": "skipped"}
    assert "ZeroDivisionError: of a step" in found["default"]["reason"]
    assert found["lora"]["reason"].splitlines()[-1].startswith("TypeError: unsupported operand")
    page = (tmp_path / "results.md").read_text()
    assert "no vLLM" in page
    assert "| ours | 1.000 | 0.500 | - |" in page
    assert page in capsys.readouterr().out


def test_a_part_is_stopped_with_all_that_it_started(tmp_path):
    script = (
        "import subprocess, sys, time; from pathlib import Path\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True)\n"
        "time.sleep(600)"
    )
    with pytest.raises(Failed, match="when its time was up"):
        place(tmp_path, 1).start(sys.executable, "-c", script)  # returns once nobody holds its output open


def test_what_a_part_leaves_is_for_those_after_it(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(on_a_gpu.time, "time", lambda: now[0])
    given = allotted(["curve", "all_weights", "default"], 690.0)
    assert next(given) == ("default", pytest.approx(690 * 0.11 / 0.63))
    now[0] = 10.0
    assert next(given) == ("all_weights", pytest.approx(340))
    now[0] = 650.0
    assert next(given) == ("curve", pytest.approx(40))


def test_all_parts_have_the_whole_time():
    assert list(parts.PARTS) == PARTS
    assert sum(part.share for part in parts.PARTS.values()) == pytest.approx(1)


def test_a_state_that_is_not_as_it_was_to_be_is_a_failure():
    state = {"distributed": "MULTI_CPU", "device": "cpu", "sharded": False}
    with pytest.raises(
        Failed, match="not engaged: sharded is False and not True; accelerate's state is MULTI_CPU on cpu"
    ):
        requires(state, sharded=True)


def test_a_random_model_has_the_shape_that_is_counted_on_paper(tmp_path):
    tokenizer = write_random_model(tmp_path, SMALL.shape, SMALL.head)
    model = AutoModelForCausalLM.from_pretrained(tmp_path)
    assert model.num_parameters() == SMALL.shape.parameters
    assert len(tokenizer) == SMALL.shape.words == AutoConfig.from_pretrained(tmp_path).vocab_size
    # every word that the model can say is a text, and the tiny model's own words are as they were
    assert tokenizer.decode([599]) == " w599"
    said = "<think>3 + 4 = 7</think>\\boxed{7}"
    assert (
        tokenizer(said)["input_ids"]
        == AutoTokenizer.from_pretrained(parts.RECIPES / "embedded" / "tiny_word_problems")(said)["input_ids"]
    )
    assert len(tokenizer(long_system_prompt(tokenizer, 100))["input_ids"]) == pytest.approx(100, abs=3)


def test_the_large_one_has_qwens_shape():
    assert LARGE.shape.parameters == 494_032_768  # Qwen/Qwen2.5-0.5B-Instruct, by its weights on the hub
    assert LARGE.shape.queries % LARGE.head == LARGE.shape.keys % LARGE.head == 0
    assert LARGE.batch % LARGE.at_once == 0


def test_a_batch_of_solutions_is_as_long_as_it_says_and_half_right():
    from embedded import TINY_ALGEBRA

    from grpo_rewards import boxed_answer

    tokenizer = AutoTokenizer.from_pretrained(TINY_ALGEBRA)
    made = batch(tokenizer, 8, 128, 0)
    texts = [completion[0]["content"] for completion in made["completions"]]
    assert [len(tokenizer(text)["input_ids"]) for text in texts] == pytest.approx([128] * 8, abs=3)
    assert all(text.count("boxed") == 1 for text in texts)
    assert boxed_answer(**made)[1::2] == [1.0] * 4  # every other one has its own answer
    assert sum(boxed_answer(**made)[::2]) < 4
