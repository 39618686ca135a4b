"""Mistakes that one can make where a model calls tools, each planted in a copy of TRL's trainer."""

# ruff: noqa: E501 - the pieces are as long as TRL's lines
from step_mutants import GRPO, planted_in

OF_TOOLS = planted_in(
    GRPO,
    # tokens, mask and log-probabilities
    (
        "tool_mask[idx_with_tool] += [0] * tool_length + [1] * post_tool_length",
        "tool_mask[idx_with_tool] += [1] * tool_length + [1] * post_tool_length",
        "what tools say is trained on",
    ),
    ("+= [0] * tool_length + [1] * post_tool_length", "+= [0] * tool_length + [0] * post_tool_length"),
    ("+= [0] * tool_length + [1] * post_tool_length", "+= [1] * post_tool_length + [0] * tool_length"),
    (
        "[0.0] * tool_length + post_tool_logprobs[idx]",
        "post_tool_logprobs[idx] + [0.0] * tool_length",
        "the engine's log-probabilities before those of the result",
    ),
    ("post_tool_logprobs[idx] = post_tool_logprobs[idx][:new_len]", "pass"),
    ("post_tool_ids[idx] = post_tool_ids[idx][:new_len]", "pass", "a last turn that is too long"),
    (
        "prompt_ids[idx_with_tool] + completion_ids[idx_with_tool] + suffix_ids",
        "prompt_ids[idx_with_tool] + completion_ids[idx_with_tool][:-1] + suffix_ids",
        "the end of a turn lost before a result",
    ),
    (
        "= pct[prompt_length:] + post_tool_ids[idx]",
        "= completion_ids[idx_with_tool] + post_tool_ids[idx]",
        "the result's tokens left out",
    ),
    # a result in the template
    ("tools=self.tools or None,", "tools=None,", "a prompt that says nothing of tools"),
    ("prefix_ids = prefix_ids[: eos_positions[-1] + 1]", "pass", "what stands after the end of a turn is left out"),
    (
        "eos_positions = [i for i, tok_id in enumerate(prefix_ids) if",
        "eos_positions = [i for i, tok_id in enumerate(prefix_ids[:6]) if",
        "the turns of the user and of the model taken for one",
    ),
    ('"function": {"name": tool_messages[0]["name"], "arguments"', '"function": {"name": "dummy", "arguments"'),
    (
        "dummy_messages + tool_messages,\n            add_generation_prompt=True",
        "dummy_messages + tool_messages,\n            add_generation_prompt=False",
        "no generation prompt after a result",
    ),
    (
        "add_generation_prompt=True,\n            tokenize=True,\n            chat_template=self.chat_template,\n            return_dict=False,\n            **self.chat_template_kwargs,",
        "add_generation_prompt=True,\n            tokenize=True,\n            chat_template=self.chat_template,\n            return_dict=False,",
        "no options for the template of a result",
    ),
    ("tool_messages.insert(0, message)", "tool_messages.append(message)", "results in the opposite order"),
    ("isinstance(result, list) else str(result)", "isinstance(result, list) else repr(result)"),
    # what fits
    (
        "len(pct) - len(prompt_ids[i]) > self.max_completion_length",
        "len(pct) - len(prompt_ids[i]) >= self.max_completion_length",
    ),
    ("len(pct) - len(prompt_ids[i]) > self.max_completion_length", "len(pct) > self.max_completion_length"),
    ("or len(pct) >= max_model_len", "or len(pct) > max_model_len"),
    ("or len(pct) >= max_model_len", "", "the context is not asked"),
    (
        "del completions[idx_with_tool][completions_len_before[idx] :]",
        "pass",
        "a result that does not fit stays among the messages",
    ),
    (
        "idxs_with_tool = [idx for idx, o in zip(idxs_with_tool, overlong, strict=True) if not o]",
        "idxs_with_tool = [] if any(overlong) else idxs_with_tool",
        "one result that does not fit ends all",
    ),
    # which calls are made
    ("iteration_num < self.max_tool_calling_iterations", "iteration_num <= self.max_tool_calling_iterations"),
    (
        "args.max_tool_calling_iterations if args.max_tool_calling_iterations is not None else sys.maxsize",
        "args.max_tool_calling_iterations or 1",
    ),
    ("for tool_call in tool_call_list:\n", "for tool_call in tool_call_list[:1]:\n", "only the first call of a turn"),
    (
        "idxs_with_tool = [idx for idx, tool_call in zip(idxs_with_tool, tool_calls, strict=True) if tool_call]\n            tool_calls = [",
        "idxs_with_tool = [idx for idx, tool_call in enumerate(tool_calls) if tool_call]\n            tool_calls = [",
        "later calls of other rows",
    ),
    ("num_generations=1,  # each", "num_generations=self.num_generations,  # each"),
    (
        "ids, prefix=prompt_completion_tool_ids[idx], tools=",
        "ids, prefix=prompt_ids[idx], tools=",
        "a turn parsed as if it were the first",
    ),
    # metrics
    (
        "                    tool_call_count += 1\n                    if",
        "                    tool_call_count = 1\n                    if",
        "one call counted",
    ),
    ("except Exception as e:\n                            tool_failure_count += 1", "except Exception as e:"),
    (
        "if isinstance(result, Exception):\n                            tool_failure_count += 1",
        "if isinstance(result, Exception):",
    ),
    ("else:\n                        tool_failure_count += 1", "else:", "another type of call is no failure"),
    ("(agg_tool_call_count / len(agg_prompt_lengths))", "(agg_tool_call_count / agg_completion_lengths.sum())"),
    ("(agg_tool_failure_count / agg_tool_call_count)", "(agg_tool_failure_count / len(agg_prompt_lengths))"),
    (
        "[sum(mask) for mask in tool_mask]",
        "[len(mask) for mask in tool_mask]",
        "lengths and tokens with those of tools",
    ),
    # an environment
    (
        'prompt[:-1] + [{**prompt[-1], "content": content + observation}]',
        'prompt + [{**prompt[-1], "content": observation}]',
        "an observation that is a message of its own",
    ),
    (
        'prompts[i] = prompt[:-1] + [{**prompt[-1], "content": content + observation}]',
        'prompt[-1]["content"] = content + observation',
        "an observation written into the dataset's row",
    ),
    (
        "                if observation is None:\n                    continue",
        "                break",
        "no observation",
    ),
    ("pool_cursor[name] = index + 1", "pool_cursor[name] = 0", "one environment for all"),
    ("observation = environment.reset(**reset_kwargs)", "observation = environment.reset(**inputs[0])"),
    (
        "[e.get_reward() if type(e)",
        "[environments[0].get_reward() if type(e)",
        "the first environment's reward for all",
    ),
    ("torch.cat([self.reward_weights, torch.ones(1)])", "torch.cat([torch.ones(1), self.reward_weights])"),
    ("self._env_tools[name] = tools + methods", "self._env_tools[name] = methods", "the other tools not in the prompt"),
)
