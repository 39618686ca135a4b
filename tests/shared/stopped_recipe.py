"""A recipe that is started and ends before a model is loaded, what it says then; and its arguments."""

import pytest


def settings(recipe, arguments):
    """The three objects that a recipe makes of a command line."""
    from training.arguments import parse_arguments

    return parse_arguments([str(one) for one in arguments], recipe.TINY, recipe.REWARDS, recipe.NAME)


def stopped(recipe, arguments, monkeypatch, folder):
    """What a recipe says when it ends, or that a model was loaded: nothing further is done."""
    from training.arguments import ends_with_one_message

    def no_model(*_, **__):
        raise AssertionError("a model was loaded")

    monkeypatch.setattr(recipe, "get_peft_config", no_model)  # the trainer's last argument but one
    monkeypatch.chdir(folder)
    with pytest.raises((SystemExit, AssertionError)) as ended, ends_with_one_message():
        recipe.main([str(one) for one in arguments])
    return str(ended.value)
