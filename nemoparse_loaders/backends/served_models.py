"""The models that a server lists, and the one to ask for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import ModelNotFoundError, ProtocolError

if TYPE_CHECKING:
    from .http import HttpAnswer, HttpConnection

MODELS_PATH = "/v1/models"

_NAMES_SHOWN = 20


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A model as ``/v1/models`` describes it.

    Attributes:
        name: What requests call it.
        root: Where it was loaded from, or empty.
        context_tokens: Prompt and reply together, or None where the server does not say.
    """

    name: str
    root: str = ""
    context_tokens: int | None = None


async def find_model(connection: HttpConnection, wanted: str | None, timeout: float) -> ServedModel:
    """The model to ask for: the one wanted, or the one that the server offers.

    Args:
        connection: An open connection.
        wanted: Its served name, or None to choose.
        timeout: Seconds.

    Raises:
        ModelNotFoundError: It is not served; or none was wanted and there is no telling which.
        BackendError: The server does not answer as it should.
    """
    answer = await connection.get(MODELS_PATH, timeout=timeout)
    if answer.status in (404, 405, 501) and wanted:
        # Gateways that only pass the chat route on; the first page will tell.
        return ServedModel(wanted)
    if not answer.ok:
        raise connection.error(answer)
    models = list_models(answer, connection.server)
    names = printed_names(models)
    if wanted:
        for model in models:
            if model.name == wanted:
                return model
        raise ModelNotFoundError(f"{connection.server} does not serve {wanted!r}; it serves {names}")
    likely = [model for model in models if "parse" in model.name.lower()] if len(models) > 1 else models
    if len(likely) == 1:
        return likely[0]
    raise ModelNotFoundError(f"{connection.server} serves {names}: choose one with model=")


def printed_names(models: Sequence[ServedModel]) -> str:
    """Their names, for a message; cut where a server lists very much."""
    names = [repr(model.name if len(model.name) <= 100 else model.name[:100] + "...") for model in models]
    if len(names) > _NAMES_SHOWN:
        names[_NAMES_SHOWN:] = [f"{len(names) - _NAMES_SHOWN} more"]
    return ", ".join(names) or "none"


def list_models(answer: HttpAnswer, server: str) -> list[ServedModel]:
    """The models in an answer of ``/v1/models``.

    Raises:
        ProtocolError: It is not such an answer.
    """
    value = answer.json(server)
    data = value.get("data") if isinstance(value, dict) else None
    if not isinstance(data, list):
        raise ProtocolError(f"{server}{MODELS_PATH} lists no models: is it an OpenAI-compatible server?")
    models = []
    for item in data:
        if isinstance(item, dict) and isinstance(item.get("id"), str):
            length = item.get("max_model_len")
            root = item.get("root")
            models.append(
                ServedModel(
                    item["id"],
                    root if isinstance(root, str) else "",
                    length if isinstance(length, int) and length > 0 else None,
                )
            )
    return models
