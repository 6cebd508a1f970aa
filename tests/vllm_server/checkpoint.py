"""Writes the tiny checkpoint: checkpoint.py FOLDER. Runs in the server's environment (torch, tokenizers).

The weights are built, not trained: attention and the feed-forward layer put out zero, so that what reaches
the head is the embedding of the last token, and the head holds for each token a copy of its predecessor's
embedding.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from script import BASE_TOKENS, END, PAGE, SPECIAL_TOKENS, WORDS, followers
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

HERE = Path(__file__).resolve().parent
MODEL_FILES = ("configuration_tiny_parse.py", "processing_tiny_parse.py")

WIDTH = 256
HEADS = 8
ENCODER_WIDTH = 64
ENCODER_HEADS = 2
PATCH = 16
IMAGE_SIZE = (512, 512)
POSITIONS = 4096
# How much the right token's logit stands out; far beyond what any sampling setting can turn.
MARGIN = 40.0

CHAT_TEMPLATE = (
    "{%- for message in messages -%}"
    "{%- if message['content'] is string -%}{{ message['content'] }}"
    "{%- else -%}"
    "{%- for part in message['content'] -%}{%- if part['type'] == 'image' -%}<pad>{%- endif -%}{%- endfor -%}"
    "{%- for part in message['content'] -%}"
    "{%- if part['type'] == 'text' -%}{{ part['text'] }}{%- endif -%}"
    "{%- endfor -%}"
    "{%- endif -%}"
    "{%- endfor -%}"
)


def build_tokenizer() -> Tokenizer:
    """Bytes for whatever is typed, and one token for each special token and each word of the script."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: index for index, token in enumerate([*BASE_TOKENS, *alphabet])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[], unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(
        [AddedToken(token, special=True, normalized=False) for token in SPECIAL_TOKENS]
    )
    tokenizer.add_tokens([AddedToken(word, special=False, normalized=False) for word in WORDS])
    return tokenizer


def build_weights(tokenizer: Tokenizer, vocabulary_size: int) -> dict[str, torch.Tensor]:
    """Every tensor that the architecture asks for, by its name there."""
    torch.manual_seed(0)
    weights = {**_decoder(), **_encoder()}
    # Half of each row is 1 and half -1: the norms between embedding and head leave such a row as it is.
    negative = torch.rand(vocabulary_size, WIDTH).argsort(1)[:, : WIDTH // 2]
    embedding = torch.ones(vocabulary_size, WIDTH).scatter(1, negative, -1.0)
    weights["decoder.embed_tokens.weight"] = embedding
    weights["lm_head.weight"] = _head(tokenizer, embedding)
    return {name: tensor.to(torch.bfloat16).contiguous() for name, tensor in weights.items()}


def _head(tokenizer: Tokenizer, embedding: torch.Tensor) -> torch.Tensor:
    head = torch.zeros_like(embedding)
    for token, following in followers().items():
        head[tokenizer.token_to_id(following)] += embedding[tokenizer.token_to_id(token)] * (MARGIN / WIDTH)
    return head


def _decoder() -> dict[str, torch.Tensor]:
    weights = {}
    layer = "decoder.layers.0."
    for name in ("q_proj", "k_proj", "v_proj"):
        weights[f"{layer}self_attn.{name}.weight"] = torch.randn(WIDTH, WIDTH) * 0.02
        weights[f"{layer}self_attn.{name}.bias"] = torch.zeros(WIDTH)
    weights[f"{layer}fc1.weight"] = torch.randn(WIDTH, WIDTH) * 0.02
    weights[f"{layer}fc1.bias"] = torch.zeros(WIDTH)
    for name in ("self_attn.out_proj", "fc2"):
        weights[f"{layer}{name}.weight"] = torch.zeros(WIDTH, WIDTH)
        weights[f"{layer}{name}.bias"] = torch.zeros(WIDTH)
    norms = (f"{layer}self_attn_layer_norm", f"{layer}final_layer_norm")
    for name in (*norms, "decoder.layernorm_embedding", "decoder.layer_norm"):
        weights[f"{name}.weight"] = torch.ones(WIDTH)
        weights[f"{name}.bias"] = torch.zeros(WIDTH)
    return weights


def _encoder() -> dict[str, torch.Tensor]:
    width = ENCODER_WIDTH
    radio = "encoder.model_encoder.radio_model.model."
    block = f"{radio}blocks.0."
    patches = (IMAGE_SIZE[0] // PATCH) ** 2
    weights = {
        f"{radio}patch_generator.embedder.weight": torch.randn(width, 3 * PATCH * PATCH) * 0.02,
        f"{radio}patch_generator.pos_embed": torch.randn(1, patches, width) * 0.02,
        f"{radio}patch_generator.cls_token.token": torch.randn(1, width) * 0.02,
        "encoder.conv1.weight": torch.randn(WIDTH, width, 1) * 0.05,
        "encoder.conv1.bias": torch.zeros(WIDTH),
        "encoder.conv2.weight": torch.randn(WIDTH, WIDTH, 1, 4) * 0.02,
        "encoder.sum_proj.weight": torch.randn(WIDTH, width) * 0.05,
        "encoder.sum_proj.bias": torch.zeros(WIDTH),
    }
    for name, rows in (("attn.qkv", 3 * width), ("attn.proj", width), ("mlp.fc1", width), ("mlp.fc2", width)):
        weights[f"{block}{name}.weight"] = torch.randn(rows, width) * 0.02
        weights[f"{block}{name}.bias"] = torch.zeros(rows)
    for name in ("norm1", "norm2"):
        weights[f"{block}{name}.weight"] = torch.ones(width)
        weights[f"{block}{name}.bias"] = torch.zeros(width)
    for name in ("layer_norm1", "layer_norm2", "layer_norm3"):
        weights[f"encoder.{name}.weight"] = torch.ones(WIDTH)
        weights[f"encoder.{name}.bias"] = torch.zeros(WIDTH)
    return weights


def model_config(vocabulary_size: int) -> dict[str, Any]:
    """The content of config.json."""
    ids = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2}
    encoder_args = {
        "model": "vit_so400m_patch16_224",
        "cpe_max_size": IMAGE_SIZE[0],
        "hidden_size": ENCODER_WIDTH,
        "num_hidden_layers": 1,
        "num_attention_heads": ENCODER_HEADS,
        "intermediate_size": ENCODER_WIDTH,
    }
    decoder = {
        "vocab_size": vocabulary_size,
        "d_model": WIDTH,
        "decoder_layers": 1,
        "decoder_attention_heads": HEADS,
        "decoder_ffn_dim": WIDTH,
        "encoder_ffn_dim": WIDTH,
        "activation_function": "gelu",
        "scale_embedding": False,
        "add_cross_attention": False,
        "causal_vision_prefix": True,
        "max_position_embeddings": POSITIONS,
        **ids,
    }
    return {
        "architectures": ["RadioMBartPrefixForCausalLM"],
        "model_type": "nemotron_parse",
        "auto_map": {"AutoConfig": "configuration_tiny_parse.TinyParseConfig", **_processor_map()},
        "dtype": "bfloat16",
        "image_size": list(IMAGE_SIZE),
        "image_token_index": 1,
        "navit_packing": True,
        "vision_spatial_dim": ENCODER_WIDTH,
        "vision_summary_dim": ENCODER_WIDTH,
        "tie_word_embeddings": False,
        "is_encoder_decoder": False,
        "decoder_start_token_id": 2,
        **ids,
        "encoder": {"patch_size": PATCH, "args": encoder_args},
        "decoder": decoder,
    }


def _processor_map() -> dict[str, str]:
    return {
        "AutoProcessor": "processing_tiny_parse.TinyParseProcessor",
        "AutoImageProcessor": "processing_tiny_parse.TinyParseImageProcessor",
    }


def other_configs() -> dict[str, dict[str, Any]]:
    """The other JSON files, by name."""
    return {
        "generation_config.json": {
            "bos_token_id": 0,
            "pad_token_id": 1,
            "eos_token_id": 2,
            "decoder_start_token_id": 2,
            "do_sample": False,
        },
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "bos_token": "<s>",
            "eos_token": END,
            "pad_token": "<pad>",
            "unk_token": "<unk>",
            "model_max_length": POSITIONS,
            "clean_up_tokenization_spaces": False,
            "processor_class": "TinyParseProcessor",
        },
        "preprocessor_config.json": {
            "image_processor_type": "TinyParseImageProcessor",
            "processor_class": "TinyParseProcessor",
            "auto_map": _processor_map(),
            "max_height": IMAGE_SIZE[0],
            "max_width": IMAGE_SIZE[1],
            "patch_size": PATCH,
            "navit_packing": True,
            "navit_coordinate_frame": "content_normalized",
            "navit_padding_mode": "top_left_white",
            "do_normalize": True,
            "image_mean": [0.48145466, 0.4578275, 0.40821073],
            "image_std": [0.26862954, 0.26130258, 0.27577711],
        },
    }


def write_checkpoint(folder: Path) -> None:
    """Write the model's folder, whole or not at all."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as parent:
        draft = Path(parent) / "model"
        draft.mkdir()
        _write_files(draft)
        try:
            os.rename(draft, folder)
        except OSError:
            # Another process was faster; what it wrote is the same.
            if not (folder / "config.json").is_file():
                raise


def _write_files(folder: Path) -> None:
    tokenizer = build_tokenizer()
    tokenizer.save(str(folder / "tokenizer.json"))
    vocabulary_size = -(-tokenizer.get_vocab_size() // 64) * 64
    weights = build_weights(tokenizer, vocabulary_size)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    for name, content in {"config.json": model_config(vocabulary_size), **other_configs()}.items():
        (folder / name).write_text(json.dumps(content, indent=1), encoding="utf-8")
    (folder / "chat_template.jinja").write_text(CHAT_TEMPLATE, encoding="utf-8")
    (folder / "expected_page.txt").write_text("".join(PAGE), encoding="utf-8")
    for name in MODEL_FILES:
        shutil.copy(HERE / "model_files" / name, folder)


if __name__ == "__main__":
    write_checkpoint(Path(sys.argv[1]))
