"""A vLLM plugin: the architecture of Nemotron Parse 3.5, from vLLM 0.33.0, for the CPU build 0.32.0.

The model's file is not kept here: install.sh takes it from the wheel of vLLM 0.33.0 and puts it beside this.
"""

from __future__ import annotations

ARCHITECTURE = "RadioMBartPrefixForCausalLM"


def register() -> None:
    """Make the architecture known; vLLM calls this in each of its processes."""
    from vllm import ModelRegistry
    from vllm.transformers_utils.configs import radio

    # Width, depth, patch size and hidden width: 0.33.0 knows this encoder by name, 0.32.0 does not.
    radio.VIT_TIMM_DIM_BY_NAME.setdefault("vit_so400m_patch16_224", (1152, 27, 16, 4304))
    if ARCHITECTURE not in ModelRegistry.get_supported_archs():
        module = f"{__name__}.nemotron_parse3_5"
        ModelRegistry.register_model(ARCHITECTURE, f"{module}:{ARCHITECTURE}")
