"""The script that measures on a GPU, at a tiny scale on what there is: that it measures, and what failures do."""

import json
import sys
import time

import on_a_gpu
import pytest
import torch
from embedded import TINY_ALGEBRA
from on_a_gpu import LARGE, PARTS, SMALL, Failed, is_flat, main, random_run, run, solutions, write_random_model
from transformers import AutoModelForCausalLM, AutoTokenizer


@pytest.mark.full
def test_everything_at_a_tiny_scale(tmp_path):
    main(["--small", "--minutes", "30", "--output_dir", str(tmp_path)])
    found = json.loads((tmp_path / "results.json").read_text())
    outcomes = {name: part["outcome"] for name, part in found["parts"].items()}
    on_gpu = {} if torch.cuda.is_available() else {"fsdp2": "failed"}  # accelerate shards on no CPU, and it says so
    assert outcomes == dict.fromkeys(PARTS, "done") | on_gpu | {"vllm": outcomes["vllm"]}
    for name in ("default", "lora", "all_weights", "curve"):
        one = found["parts"][name]
        assert 0 < one["rewards"] + one["generation"] < one["step"]
        assert one["tokens"] > 0
        assert not list((tmp_path / name).rglob("*.safetensors"))
    state = found["parts"]["all_weights"]["state"]
    assert (state["precision"], state["checkpointed"], state["adapter"]) == ("bf16", True, False)
    assert found["parts"]["rewards"]["boxed_answer and three more"]["right"] == 0.5
    assert len(found["parts"]["curve"]["evaluations"]) > 1
    page = (tmp_path / "results.md").read_text()
    assert f"- torch: {torch.__version__}" in page
    assert "| all_weights | 2 | 24 |" in page


def test_a_part_that_fails_is_reported_and_the_others_go_on(tmp_path, monkeypatch, capsys):
    def fails(*_):
        raise ZeroDivisionError("of a step")

    def starts(folder, deadline, scale):
        run([sys.executable, "-c", "print('so far'); 1 + None"], folder, deadline)

    def measures(*_):
        return {"completions": 2, "tokens": 3, "ours": {"first": 1.0, "median": 0.5, "right": 1.0}}

    for name, measure in {"default": fails, "curve": starts, "rewards": measures}.items():
        monkeypatch.setattr(on_a_gpu, name, measure)
    monkeypatch.setattr(on_a_gpu, "find_spec", lambda name: None)
    assert main(["--only", "default", "curve", "vllm", "rewards", "--output_dir", str(tmp_path)]) == 1
    found = json.loads((tmp_path / "results.json").read_text())["parts"]
    outcomes = {name: part["outcome"] for name, part in found.items()}
    assert outcomes == {"default": "failed", "rewards": "done", "curve": "failed", "vllm": "skipped"}
    assert "ZeroDivisionError: of a step" in found["default"]["reason"]
    assert found["curve"]["reason"].splitlines()[-1].startswith("TypeError: unsupported operand")
    page = (tmp_path / "results.md").read_text()
    assert "vLLM is not installed" in page
    assert "ours: 1.000 s for a first batch of solutions, then 0.500." in page
    assert page in capsys.readouterr().out


def test_a_part_is_stopped_with_all_that_it_started(tmp_path):
    script = (
        "import subprocess, sys, time; from pathlib import Path\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True)\n"
        "time.sleep(600)"
    )
    with pytest.raises(Failed, match="when its time was up"):  # returns once nobody holds its output open
        run([sys.executable, "-c", script], tmp_path, time.time() + 1)


def test_evaluations_that_no_longer_rise_are_flat():
    assert not is_flat([0.1, 0.2, 0.3])
    assert not is_flat([0.1, 0.5, 0.5, 0.5, 0.52])
    assert is_flat([0.1, 0.5, 0.5, 0.505, 0.49])


def test_a_state_that_is_not_as_it_was_to_be_is_a_failure(tmp_path, monkeypatch):
    state = {"distributed": "MULTI_CPU", "device": "cpu", "sharded": False, "precision": "bf16", "checkpointed": True}
    monkeypatch.setattr(on_a_gpu, "trained", lambda *_: {"state": state})
    where = "accelerate's state is MULTI_CPU on cpu"
    with pytest.raises(Failed, match=f"not engaged: sharded is False and not True; {where}"):
        random_run("fsdp2", tmp_path, 0.0, SMALL)


def test_a_random_model_has_the_shape_that_is_asked_for(tmp_path):
    write_random_model(tmp_path, {"num_hidden_layers": 3, "hidden_size": 32}, 600)
    model, tokenizer = AutoModelForCausalLM.from_pretrained(tmp_path), AutoTokenizer.from_pretrained(tmp_path)
    assert model.config.vocab_size == 600
    assert (model.config.num_hidden_layers, model.config.hidden_size, model.dtype) == (3, 32, torch.bfloat16)
    # every word that the model can say is a text
    assert tokenizer.decode([599]) == " w599"
    assert LARGE["batch"] % LARGE["at_once"] == 0


def test_a_batch_of_solutions_is_as_long_as_it_says_and_half_right():
    from grpo_rewards import boxed_answer

    tokenizer = AutoTokenizer.from_pretrained(TINY_ALGEBRA)
    made = solutions(tokenizer, 8, 128, 0)
    texts = [completion[0]["content"] for completion in made["completions"]]
    assert [len(tokenizer(text)["input_ids"]) for text in texts] == pytest.approx([128] * 8, abs=3)
    assert all(text.count("boxed") == 1 for text in texts)
    assert boxed_answer(**made)[1::2] == [1.0] * 4  # every other one has its own answer
    assert sum(boxed_answer(**made)[::2]) < 4


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU that torch can use")
@pytest.mark.parametrize("name", ["all_weights", "lora", "fsdp2"])
def test_a_part_on_a_gpu(name, tmp_path):
    found = random_run(name, tmp_path, time.time() + 600, SMALL)  # which raises where the state is another one
    assert found["state"]["device"] == "cuda"
    assert found["state"]["memory"] > 0
