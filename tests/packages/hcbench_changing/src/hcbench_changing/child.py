"""Print a caterpillar as Newick, after some processor time. It needs no library."""

import sys
import time

SECONDS = 0.1

with open(sys.argv[1]) as table:
    n = sum(1 for _ in table)
end = time.process_time() + SECONDS
while time.process_time() < end:
    pass
later = "".join(f",{i})" for i in range(1, n))
sys.stdout.write("(" * (n - 1) + "0" + later + ";")
