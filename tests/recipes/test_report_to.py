"""What ``--report_to`` hands on: the rewards and the evaluations, to TensorBoard's own files, without a network."""

import json
import struct

import pytest

pytest.importorskip("tensorboardX", reason="tensorboardX, of [test], is not installed")

import gsm8k
from tensorboardX.proto.event_pb2 import Event


def scalars(folder):
    """What TensorBoard would show: by tag, the value at each step."""
    found = {}
    for path in sorted(folder.rglob("events.out.tfevents.*")):
        data, at = path.read_bytes(), 0
        while at < len(data):  # of each record its length, a sum of that, itself, and a sum of it
            (length,) = struct.unpack_from("<Q", data, at)
            event = Event.FromString(data[at + 12 : at + 12 + length])
            at += 12 + length + 4
            for value in event.summary.value:
                number = value.simple_value if value.WhichOneof("value") == "simple_value" else None
                if value.WhichOneof("value") == "tensor" and value.tensor.float_val:
                    (number,) = value.tensor.float_val
                if number is not None:
                    found.setdefault(value.tag, {})[event.step] = number
    return found


@pytest.mark.full
def test_tensorboard_has_the_rewards_of_every_step_and_every_evaluation(tmp_path):
    small = "--max_steps 3 --per_device_train_batch_size 8 --save_strategy no --thorough_check false"
    evaluation = "--eval_size 4 --eval_samples 1 --eval_steps 2"
    options = f"{small} {evaluation} --report_to tensorboard --output_dir out"
    gsm8k.main(options.split())
    shown = scalars(tmp_path / "out")
    assert set(shown["train/reward"]) == set(shown["train/rewards/boxed_answer/mean"]) == {1, 2, 3}
    taken = json.loads((tmp_path / "out" / "eval.json").read_text())["by_step"]
    means = {int(step): one["sampled"]["boxed_answer"]["mean"] for step, one in taken.items()}
    assert set(means) == {0, 2, 3}  # the last one after training has ended
    assert shown["eval/sampled/boxed_answer"] == pytest.approx(means)
