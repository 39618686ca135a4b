"""The config.json of the models that the recipes' configurations name, by what their memory is counted from: the hub is
not at hand in tests."""

from transformers import Qwen2Config, Qwen3Config


def qwen2(width, layers, heads, keys, inner, words, tied):
    return Qwen2Config(
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=keys,
        intermediate_size=inner,
        vocab_size=words,
        tie_word_embeddings=tied,
    )


def qwen3(width, layers, heads, inner):
    return Qwen3Config(
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=8,
        head_dim=128,
        intermediate_size=inner,
        vocab_size=151_936,
        tie_word_embeddings=True,
    )


MODELS = {
    "Qwen/Qwen2.5-0.5B-Instruct": qwen2(896, 24, 14, 2, 4864, 151_936, True),
    "Qwen/Qwen2.5-1.5B-Instruct": qwen2(1536, 28, 12, 2, 8960, 151_936, True),
    "Qwen/Qwen2.5-7B-Instruct": qwen2(3584, 28, 28, 4, 18944, 152_064, False),
    "Qwen/Qwen3-1.7B": qwen3(2048, 28, 16, 6144),
    "Qwen/Qwen3-4B": qwen3(2560, 36, 32, 9728),
}
PARAMETERS = {  # by the weights on the hub
    "Qwen/Qwen2.5-0.5B-Instruct": 494_032_768,
    "Qwen/Qwen2.5-1.5B-Instruct": 1_543_714_304,
    "Qwen/Qwen2.5-7B-Instruct": 7_615_616_512,
    "Qwen/Qwen3-1.7B": 1_720_574_976,
    "Qwen/Qwen3-4B": 4_022_468_096,
}
