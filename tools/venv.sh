#!/bin/sh
# Makes .venv with what `$1` (base or test) needs, unless it is there and fits: same place, same Python, same pins.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
case $1 in base) wanted="." ;; *) wanted=".[$1]" ;; esac

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "PocketZero needs Python 3.11 or later; '$python' is not. Set PYTHON to one that is." >&2
    exit 1
fi

fits() { [ -f ".venv/$1.stamp" ] && [ "$(cat ".venv/$1.stamp")" = "$mark" ] && .venv/bin/python -c "" 2>/dev/null; }
mark=$({ pwd; "$python" --version; cat pyproject.toml constraints.txt; } | cksum)
if fits "$1" || { [ "$1" = base ] && fits test; }; then
    exit 0
fi

if ! { [ -f .venv/venv.stamp ] && [ "$(cat .venv/venv.stamp)" = "$mark" ] && .venv/bin/python -c "" 2>/dev/null; }; then
    echo "Making .venv …" >&2
    rm -rf .venv
    "$python" -m venv .venv
    echo "$mark" > .venv/venv.stamp
fi
echo "Installing what '$1' needs …" >&2
.venv/bin/python -m pip install --quiet --constraint constraints.txt --editable "$wanted" >&2
echo "$mark" > ".venv/$1.stamp"
