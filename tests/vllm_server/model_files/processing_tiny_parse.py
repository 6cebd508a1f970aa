"""The processor that a checkpoint of generation 3.5 brings along: picture to patches, prompt to tokens."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from PIL import Image
from transformers import BatchFeature, ProcessorMixin
from transformers.image_processing_base import ImageProcessingMixin
from transformers.processing_utils import ImagesKwargs

_WHITE = 255


class TinyParseImageProcessor(ImageProcessingMixin):
    model_input_names: ClassVar[list[str]] = ["pixel_values", "image_sizes", "content_sizes"]
    valid_kwargs = ImagesKwargs

    def __init__(
        self,
        max_height: int = 512,
        max_width: int = 512,
        patch_size: int = 16,
        navit_packing: bool = True,
        navit_coordinate_frame: str = "content_normalized",
        navit_padding_mode: str = "top_left_white",
        do_normalize: bool = True,
        image_mean: Sequence[float] = (0.48145466, 0.4578275, 0.40821073),
        image_std: Sequence[float] = (0.26862954, 0.26130258, 0.27577711),
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.max_height = max_height
        self.max_width = max_width
        self.patch_size = patch_size
        self.navit_packing = navit_packing
        self.navit_coordinate_frame = navit_coordinate_frame
        self.navit_padding_mode = navit_padding_mode
        self.do_normalize = do_normalize
        self.image_mean = list(image_mean)
        self.image_std = list(image_std)

    def __call__(self, images: Any, **kwargs: Any) -> BatchFeature:
        return self.preprocess(images, **kwargs)

    def preprocess(self, images: Any, return_tensors: str = "pt", **kwargs: Any) -> BatchFeature:
        """Flat patches of all pictures, one after the other, with their padded and their true sizes."""
        pictures = list(images) if isinstance(images, (list, tuple)) else [images]
        patches: list[torch.Tensor] = []
        padded_sizes: list[tuple[int, int]] = []
        content_sizes: list[tuple[int, int]] = []
        for picture in pictures:
            fitted = self._fit(picture)
            canvas = self._pad(fitted)
            patches.append(self._patches(canvas))
            padded_sizes.append(canvas.shape[:2])
            content_sizes.append((fitted.height, fitted.width))
        return BatchFeature(
            {
                "pixel_values": torch.cat(patches),
                "image_sizes": torch.tensor(padded_sizes, dtype=torch.long),
                "content_sizes": torch.tensor(content_sizes, dtype=torch.long),
            }
        )

    def _fit(self, picture: Any) -> Image.Image:
        image = picture if isinstance(picture, Image.Image) else Image.fromarray(np.asarray(picture))
        scale = min(1.0, self.max_height / image.height, self.max_width / image.width)
        width = max(1, min(self.max_width, round(image.width * scale)))
        height = max(1, min(self.max_height, round(image.height * scale)))
        return image.convert("RGB").resize((width, height), Image.Resampling.BILINEAR)

    def _pad(self, image: Image.Image) -> np.ndarray:
        # The neck joins four patches side by side, so the width is a multiple of four patches.
        height = math.ceil(image.height / self.patch_size) * self.patch_size
        width = math.ceil(image.width / (4 * self.patch_size)) * 4 * self.patch_size
        canvas = np.full((height, width, 3), _WHITE, dtype=np.float32)
        canvas[: image.height, : image.width] = np.asarray(image, dtype=np.float32)
        return canvas

    def _patches(self, canvas: np.ndarray) -> torch.Tensor:
        mean = np.asarray(self.image_mean, dtype=np.float32)
        deviation = np.asarray(self.image_std, dtype=np.float32)
        size = self.patch_size
        height, width = canvas.shape[:2]
        pixels = torch.from_numpy((canvas / _WHITE - mean) / deviation).permute(2, 0, 1)
        grid = pixels.reshape(3, height // size, size, width // size, size).permute(1, 3, 0, 2, 4)
        return grid.reshape(-1, 3 * size * size)


class TinyParseProcessor(ProcessorMixin):
    attributes: ClassVar[list[str]] = ["image_processor", "tokenizer"]
    image_processor_class = "AutoImageProcessor"
    tokenizer_class = "AutoTokenizer"

    def __init__(self, image_processor: Any = None, tokenizer: Any = None, **kwargs: Any) -> None:
        super().__init__(image_processor, tokenizer)

    def __call__(
        self, images: Any = None, text: Any = None, return_tensors: str | None = None, **kwargs: Any
    ) -> BatchFeature:
        """The prompt's own special tokens are all there are: none are added."""
        values: dict[str, Any] = {}
        if images is not None:
            values.update(self.image_processor(images))
        if text is not None:
            tokens = self.tokenizer(text, add_special_tokens=False, return_tensors=return_tensors)
            values.update(tokens)
        return BatchFeature(values)
