"""What takes longer than a second is told once, and on a terminal only."""

import os
import pty
import subprocess
import sys

BLOCKS = """
import time
from hcbench.files import tell_if_slow

with tell_if_slow("a quick thing"):
    pass
with tell_if_slow("reading x"):
    with tell_if_slow("reading a part of x"):
        time.sleep(1.5)
"""


def test_a_terminal_shows_the_outermost_block_that_is_slow():
    terminal, of_process = pty.openpty()
    subprocess.run([sys.executable, "-c", BLOCKS], stderr=of_process, check=True)
    os.close(of_process)
    assert os.read(terminal, 1000).decode() == "reading x ...\r\n"
    os.close(terminal)


def test_what_is_no_terminal_gets_nothing():
    ran = subprocess.run([sys.executable, "-c", BLOCKS], capture_output=True, check=True)
    assert ran.stderr == b""
