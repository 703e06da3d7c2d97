"""``python -m pocketzero`` is the command ``pocketzero``."""

from pocketzero.app.cli import main

main()
