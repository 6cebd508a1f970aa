"""What each model generation takes and gives: task, frame of its boxes, limits, sampling.

Sources: the model cards and serving guides of Nemotron Parse 1.1, 1.2, 2.0 and 3.5, and NVIDIA's own 3.5
client for the sampling values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from .errors import OptionError

ProfileName = Literal["3.5", "2.0", "1.2", "1.1"]
Frame = Literal["content", "canvas"]


@dataclass(frozen=True, slots=True)
class PromptControls:
    """What a page is asked for, by the tokens of its prompt.

    Attributes:
        boxes: Where each block stands.
        classes: What each block is.
        plain_text: Text without Markdown.
        text_in_pictures: The words in figures; None for what the generation does by default.
    """

    boxes: bool = True
    classes: bool = True
    plain_text: bool = False
    text_in_pictures: bool | None = None


@dataclass(frozen=True, slots=True)
class Profile:
    """One model generation.

    Attributes:
        name: "3.5", "2.0", "1.2" or "1.1".
        frame: What the printed fractions are fractions of: "content" is the image as sent; "canvas" is a
            canvas of ``max_image_size``, onto which the image was scaled down (never up) and centred.
        max_image_size: Largest (width, height) in pixels that the model sees; also the canvas.
        task: The prompt tokens of the default task: boxes, classes, Markdown.
        context_tokens: Prompt, image and reply together.
        max_output_tokens: Longest reply to ask for.
        sampling: Request fields that NVIDIA recommends for this generation.
        detection_task: The prompt tokens that ask for boxes and classes alone; empty where there are none.
    """

    name: ProfileName
    frame: Frame
    max_image_size: tuple[int, int]
    task: str
    context_tokens: int
    max_output_tokens: int
    sampling: Mapping[str, float | int] = field(hash=False)
    detection_task: str = ""

    def task_for(self, controls: PromptControls) -> str:
        """The prompt tokens of a task: one of each group, in the order that the models were trained with.

        Args:
            controls: What is asked for; the defaults give `task`.

        Raises:
            OptionError: This generation has no choice about text in pictures, and one is made.
        """
        tokens = [
            "<predict_bbox>" if controls.boxes else "<no_bbox>",
            "<predict_classes>" if controls.classes else "<no_classes>",
            "<output_plain>" if controls.plain_text else "<output_markdown>",
        ]
        has_choice = self.task.endswith(_PICTURE_TEXT)
        if has_choice:
            by_default = self.task.endswith(_PICTURE_TEXT[0])
            chosen = by_default if controls.text_in_pictures is None else controls.text_in_pictures
            tokens.append(_PICTURE_TEXT[0] if chosen else _PICTURE_TEXT[1])
        elif controls.text_in_pictures is not None:
            raise OptionError(
                f"text_in_pictures: generation {self.name} has no such choice; leave it out (None)"
            )
        return _START + "".join(tokens)


_START = "</s><s>"
_PICTURE_TEXT = ("<predict_text_in_pic>", "<predict_no_text_in_pic>")
_TASK = _START + "<predict_bbox><predict_classes><output_markdown>"
_DETECTION = _START + "<predict_bbox><predict_classes><output_no_text><predict_no_text_in_pic>"
# Without the penalty the older generations fall into loops.
_GREEDY = MappingProxyType({"temperature": 0.0, "top_k": 1, "repetition_penalty": 1.1})

PROFILES: Mapping[ProfileName, Profile] = MappingProxyType(
    {
        "3.5": Profile(
            name="3.5",
            frame="content",
            max_image_size=(1664, 2048),
            task=_TASK + "<predict_text_in_pic>",
            context_tokens=16_384,
            max_output_tokens=8_744,
            sampling=MappingProxyType(
                {"temperature": 0.2, "top_k": 50, "top_p": 1.0, "repetition_penalty": 1.05, "seed": 0}
            ),
            detection_task=_DETECTION,
        ),
        "2.0": Profile(
            name="2.0",
            frame="canvas",
            max_image_size=(1664, 2048),
            task=_TASK + "<predict_no_text_in_pic>",
            context_tokens=9_000,
            # Stock vLLM counts the prompt into the 9,000 tokens of context.
            max_output_tokens=8_192,
            sampling=_GREEDY,
            detection_task=_DETECTION,
        ),
        "1.2": Profile(
            name="1.2",
            frame="canvas",
            max_image_size=(1664, 2048),
            task=_TASK + "<predict_no_text_in_pic>",
            context_tokens=9_000,
            max_output_tokens=8_192,
            sampling=_GREEDY,
            detection_task=_DETECTION,
        ),
        "1.1": Profile(
            name="1.1",
            frame="canvas",
            max_image_size=(1648, 2048),
            task=_TASK,
            context_tokens=9_000,
            max_output_tokens=8_192,
            sampling=_GREEDY,
        ),
    }
)

_GENERATION = re.compile(
    r"parse[-_]?v?([123])[._]?([0-9])(?![0-9])"  # nemotron-parse-v1.2, parse_20
    r"|(?<![0-9.])([123])\.([0-9])(?![0-9.]).*parse"  # nemotron-3.5-parse
)


def profile_for_model(model: str) -> Profile:
    """The profile that a model's name points to; 3.5 where the name says nothing.

    Args:
        model: A served name or repository id, e.g. "nvidia/NVIDIA-Nemotron-Parse-v1.2".
    """
    match = _GENERATION.search(model.lower())
    if match:
        major, minor = match.group(1) or match.group(3), match.group(2) or match.group(4)
        for name, profile in PROFILES.items():
            if name == f"{major}.{minor}":
                return profile
    return PROFILES["3.5"]


def get_profile(name: str) -> Profile:
    """The profile of that name.

    Raises:
        OptionError: There is none.
    """
    for known, profile in PROFILES.items():
        if known == name:
            return profile
    raise OptionError(f"no profile {name!r}; there are {', '.join(PROFILES)}")
