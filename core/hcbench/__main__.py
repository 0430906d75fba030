"""``python -m hcbench``."""

from hcbench.cli import main

if __name__ == "__main__":
    main()
