"""``python -m hcbench``."""

import sys

if not sys.flags.safe_path:
    # Python has put the current folder in front of its own modules, where a file json.py would
    # replace one. It stays as the last one, as hcbench itself may have been found there.
    sys.path.append(sys.path.pop(0))

from hcbench.cli import main

if __name__ == "__main__":
    main()
