"""Net files: writing them, reading them, and finding them by a short text.

Weights are safetensors files with the net's description in their header. Nets that ship are ONNX files in the
package's ``models`` folder; OpenVINO reads them, so playing with them needs no PyTorch. A text names a net: a plain
name is a shipped one, a path is a file, and ``DIRECTORY@best`` or ``DIRECTORY@123`` is a checkpoint of a run.
"""

from __future__ import annotations

import io
import json
import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import pocketzero
from pocketzero.errors import PocketZeroError, UnknownName, nearest, shortened
from pocketzero.nets.description import KEY, BadNet, NetDescription
from pocketzero.nets.kinds import build_net

if TYPE_CHECKING:
    from torch import nn

WEIGHTS, ONNX = ".safetensors", ".onnx"
CHECKPOINTS = "checkpoints"  # the folder of a run directory that holds nets
BEST = "best"
LONGEST_HEADER = 100_000_000  # bytes; the limit of the safetensors format


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that whoever looks sees the old one or the whole new one, even after a crash."""
    try:
        _replace(path, data)
    except OSError as error:
        raise PocketZeroError(f"{path} cannot be written: {error.strerror or error}.") from None


def _replace(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)  # temporary files are private; nets are to be shared
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def net_bytes(net: nn.Module) -> bytes:
    """The weights of a net and its description, as they stand in its file."""
    from safetensors.torch import save

    description: NetDescription = net.description  # type: ignore[assignment]
    weights = {name: tensor.detach().cpu().contiguous() for name, tensor in net.state_dict().items()}
    return save(weights, {KEY: description.to_json()})


def net_from_bytes(data: bytes) -> nn.Module:
    """The net whose file has these bytes, ready for use (not for training)."""
    from safetensors.torch import load

    net = build_net(_description_in(_header(io.BytesIO(data), "the net"), "the net"))
    net.load_state_dict(load(data))
    return net.eval()


def save_net(net: nn.Module, path: Path | str) -> Path:
    """Write the weights of a net and its description."""
    path = Path(path)
    if path.suffix != WEIGHTS:
        raise BadNet(f"Weights are saved as {WEIGHTS} files, not {path.name!r}.")
    write_atomically(path, net_bytes(net))
    return path


def load_net(path: Path | str) -> nn.Module:
    """Build the net that a safetensors file describes and give it its weights, ready for use (not for training)."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    path = Path(path)
    net = build_net(read_description(path))
    try:
        net.load_state_dict(load_file(path))
    except (SafetensorError, RuntimeError) as error:
        reason = str(error).splitlines()[-1].strip()
        raise BadNet(f"{path} is damaged: its weights are not those of its description ({reason}).") from None
    return net.eval()


def read_description(path: Path | str) -> NetDescription:
    """What the net in a file is; needs neither PyTorch nor the safetensors package."""
    path = Path(path)
    if not path.is_file():
        raise UnknownName(f"There is no net file {str(path)!r}.")
    if path.suffix == ONNX:
        from pocketzero.nets.openvino_net import read_onnx

        return read_onnx(path).description
    if path.suffix != WEIGHTS:
        raise BadNet(f"{path} is not a net file; nets end in {WEIGHTS} or {ONNX}.")
    with path.open("rb") as file:
        return _description_in(_header(file, str(path)), str(path))


def _description_in(header: dict[str, object], name: str) -> NetDescription:
    found = header.get("__metadata__")
    if not isinstance(found, dict) or not isinstance(found.get(KEY), str):
        raise BadNet(f"{name} has no description of a net; it was not saved by PocketZero.")
    return NetDescription.from_json(found[KEY], name)


def _header(file: BinaryIO, name: str) -> dict[str, object]:
    """The JSON with which a safetensors file begins, after its length in eight bytes."""
    length = int.from_bytes(file.read(8), "little")
    text = file.read(length) if length <= LONGEST_HEADER else b""
    try:
        header = json.loads(text) if len(text) == length else None
    except ValueError:
        header = None
    if not isinstance(header, dict):
        raise BadNet(f"{name} is damaged or is no safetensors file.")
    return header


def models_folder() -> Path:
    """Where the nets that ship with the package are."""
    return Path(pocketzero.__file__).parent / "models"


def list_models() -> list[str]:
    """The names of the nets that ship."""
    return sorted({file.stem for file in models_folder().glob("*") if file.suffix in (ONNX, WEIGHTS)})


def find_net(text: str) -> Path:
    """The file that a text names: a shipped net, a path, or a checkpoint of a run directory."""
    text = text.strip()
    if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", text) and Path(text).suffix not in (ONNX, WEIGHTS):
        return _shipped(text)
    path = Path(text).expanduser()
    if path.is_file():
        return path
    folder, _, checkpoint = (text if "@" in text else f"{text}@latest").rpartition("@")
    if Path(folder).expanduser().is_dir():
        return _checkpoint(Path(folder).expanduser(), checkpoint)
    raise UnknownName(f"There is no net file and no run directory {text!r}. Shipped nets: {_known()}.")


def _shipped(name: str) -> Path:
    for suffix in (ONNX, WEIGHTS):
        file = models_folder() / f"{name}{suffix}"
        if file.is_file():
            return file
    hint = f" {name!r} is a folder here; write ./{name} for it." if Path(name).is_dir() else ""
    raise UnknownName(
        f"No net called {name!r} ships with PocketZero. {nearest(name, list_models())}Shipped nets: {_known()}; "
        f"a path begins with ./ or /.{hint}"
    )


def _known() -> str:
    return shortened(list_models()) or "none"


def _checkpoint(folder: Path, which: str) -> Path:
    """One of the nets of a run: ``latest``, ``best``, or the one with a number."""
    files = checkpoint_files(folder)
    if which == BEST:
        found = folder / CHECKPOINTS / f"{BEST}{WEIGHTS}"
        if found.is_file():
            return found
    elif which == "latest" and files:
        return files[max(files)]
    elif re.fullmatch(r"[0-9]{1,12}", which) and int(which) in files:
        return files[int(which)]
    numbers = shortened(map(str, sorted(files))) or "none yet"
    raise UnknownName(f"The run {folder} has no net {which!r}; checkpoints: {numbers}; also 'latest' and 'best'.")


def checkpoint_files(folder: Path) -> dict[int, Path]:
    """The numbered nets of a run directory."""
    files = (folder / CHECKPOINTS).glob(f"net-*{WEIGHTS}")
    return {int(file.stem[4:]): file for file in files if re.fullmatch(r"net-[0-9]+", file.stem)}


def checkpoint_path(folder: Path, number: int) -> Path:
    """Where a run directory keeps the net with this number."""
    return folder / CHECKPOINTS / f"net-{number:06}{WEIGHTS}"
