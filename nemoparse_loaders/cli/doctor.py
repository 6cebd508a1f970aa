"""``nemoparse doctor``: asks a server how it is, and says in plain words what is wrong."""

from __future__ import annotations

import asyncio

import typer

from ..options import ParseOptions

_MARKS = {
    "ok": ("ok", typer.colors.GREEN),
    "hint": ("hint", typer.colors.YELLOW),
    "problem": ("problem", typer.colors.RED),
}


def doctor(
    backend: str = typer.Option("auto", help="auto, vllm or nvidia."),
    base_url: list[str] = typer.Option(
        [], help="The server; several: once each. Default: NEMOTRON_PARSE_BASE_URL."
    ),
    model: str | None = typer.Option(None, help="Served model name. Default: the one the server lists."),
    profile: str | None = typer.Option(None, help="Model generation: 3.5, 2.0, 1.2 or 1.1."),
    timeout: float = typer.Option(60.0, help="Seconds for one request."),
) -> None:
    """Ask a server for its health, its models and a probe page, and say what is wrong.

    The probe page is drawn in memory; none of your documents is sent. The key of a server is taken from
    NEMOTRON_PARSE_API_KEY (for --backend nvidia: NVIDIA_API_KEY).
    Exit status: 0 it works; 1 something is wrong; 2 wrong usage.
    """
    # What it needs is heavy, and the other commands do not need it.
    from ..backends.diagnosis import diagnose

    options = ParseOptions.build(
        backend=backend, base_url=tuple(base_url) or None, model=model, profile=profile, timeout=timeout
    )
    findings = asyncio.run(diagnose(options))
    width = max(len(finding.topic) for finding in findings)
    for finding in findings:
        mark, colour = _MARKS[finding.level]
        typer.secho(f"{mark:<8}", fg=colour, nl=False)
        typer.echo(f"{finding.topic:<{width}}  {finding.message}")
    if any(finding.level == "problem" for finding in findings):
        raise typer.Exit(1)
