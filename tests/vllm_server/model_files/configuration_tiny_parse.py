"""The config classes that a checkpoint of generation 3.5 brings along (``auto_map`` in its config.json)."""

from __future__ import annotations

from typing import Any, ClassVar

from transformers import PretrainedConfig


class TinyParseEncoderConfig(PretrainedConfig):
    model_type = "tiny_parse_encoder"

    def __init__(self, patch_size: int = 16, args: dict[str, Any] | None = None, **kwargs: Any) -> None:
        self.patch_size = patch_size
        self.args = dict(args or {})
        super().__init__(**kwargs)


class TinyParseDecoderConfig(PretrainedConfig):
    model_type = "tiny_parse_decoder"
    # vLLM asks by the common names.
    attribute_map: ClassVar[dict[str, str]] = {
        "hidden_size": "d_model",
        "num_attention_heads": "decoder_attention_heads",
        "num_hidden_layers": "decoder_layers",
    }

    def __init__(
        self,
        vocab_size: int = 1024,
        d_model: int = 256,
        decoder_layers: int = 1,
        decoder_attention_heads: int = 8,
        decoder_ffn_dim: int = 256,
        encoder_ffn_dim: int = 256,
        activation_function: str = "gelu",
        scale_embedding: bool = False,
        add_cross_attention: bool = False,
        causal_vision_prefix: bool = True,
        max_position_embeddings: int = 4096,
        **kwargs: Any,
    ) -> None:
        self.vocab_size = vocab_size
        self.d_model = d_model
        self.decoder_layers = decoder_layers
        self.decoder_attention_heads = decoder_attention_heads
        self.decoder_ffn_dim = decoder_ffn_dim
        self.encoder_ffn_dim = encoder_ffn_dim
        self.activation_function = activation_function
        self.scale_embedding = scale_embedding
        self.causal_vision_prefix = causal_vision_prefix
        self.max_position_embeddings = max_position_embeddings
        super().__init__(**kwargs)
        # The base class sets this one itself.
        self.add_cross_attention = add_cross_attention


class TinyParseConfig(PretrainedConfig):
    model_type = "nemotron_parse"
    sub_configs: ClassVar[dict[str, type]] = {
        "encoder": TinyParseEncoderConfig,
        "decoder": TinyParseDecoderConfig,
    }

    def __init__(
        self,
        encoder: dict[str, Any] | PretrainedConfig | None = None,
        decoder: dict[str, Any] | PretrainedConfig | None = None,
        image_size: tuple[int, int] = (512, 512),
        navit_packing: bool = True,
        vision_spatial_dim: int = 64,
        vision_summary_dim: int = 64,
        **kwargs: Any,
    ) -> None:
        is_config = isinstance(encoder, PretrainedConfig)
        self.encoder = encoder if is_config else TinyParseEncoderConfig(**(encoder or {}))
        is_config = isinstance(decoder, PretrainedConfig)
        self.decoder = decoder if is_config else TinyParseDecoderConfig(**(decoder or {}))
        self.image_size = list(image_size)
        self.navit_packing = navit_packing
        self.vision_spatial_dim = vision_spatial_dim
        self.vision_summary_dim = vision_summary_dim
        kwargs.setdefault("tie_word_embeddings", False)
        super().__init__(**kwargs)
