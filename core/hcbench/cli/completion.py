"""``hcbench completion``: the line that enables completion in a shell."""

from __future__ import annotations

import os
from pathlib import Path

import click

from hcbench.cli import options

#: By shell, the file that it reads when it starts, and the line.
_LINES = {
    "bash": ("~/.bashrc", 'eval "$(_HCBENCH_COMPLETE=bash_source hcbench)"'),
    "zsh": ("~/.zshrc", 'eval "$(_HCBENCH_COMPLETE=zsh_source hcbench)"'),
    "fish": (
        "~/.config/fish/completions/hcbench.fish",
        "_HCBENCH_COMPLETE=fish_source hcbench | source",
    ),
}


@click.command(epilog=options.examples("hcbench completion bash >> ~/.bashrc"))
@click.argument("shell", type=click.Choice(list(_LINES)), required=False)
def completion(shell: str | None) -> None:
    """Print the line that enables completion in your shell."""
    # By default the shell of the user: SHELL is the path of its program.
    shell_name = shell or Path(os.environ.get("SHELL", "bash")).name
    if shell_name not in _LINES:
        raise click.UsageError(f"no completion for {shell_name}; there are {', '.join(_LINES)}")
    place, line = _LINES[shell_name]
    click.echo(line)
    if not shell:
        click.echo(f"hcbench: put this line into {place}", err=True)
