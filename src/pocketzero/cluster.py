"""A Ray cluster: started here or reached elsewhere, how much room its nodes have, and the actors that fill it.

An actor is one process of ours on a node of the cluster. A ``Crew`` keeps one on every seat: it seats new ones when
nodes join or actors die, and lets none work whose programs are not those of this machine, since games would then not
be what they claim to be. Ray is imported only when somebody asks for a cluster, and tells nobody about it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import os
import platform
import re
import socket
import sys
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from pocketzero import __version__
from pocketzero.errors import PocketZeroError

LOCAL = "local"  # in place of an address: a cluster of this machine alone, which ends with us
RUNNING = "auto"  # in place of an address: the cluster that this machine has joined
PACKAGES = ("numba", "numpy", "openvino", "torch")
OUR_FILES = (".py", ".toml", ".onnx", ".safetensors")
SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",  # Ray would report its use to its makers
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "1",  # actors see no graphics card that was not given to them
}
LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}  # on every system: then nodes are known by 127.0.0.1
OBJECTS = 200_000_000  # bytes that a local cluster sets aside for weights and games on their way
ANSWER_SECONDS = 5.0  # for an address to answer
FETCH_SECONDS = 20.0  # for a result that is said to be there
LOOK_SECONDS = 1.0  # between two looks at the nodes
BEGIN_SECONDS = 60.0  # for the first actor to greet
OTHERS_SECONDS = 20.0  # for one of each other node to greet after that; later ones are welcome too
MOST_DEATHS, DEATH_SECONDS = 3, 8.0  # so many times all actors of a node may die before one of them did anything
ALIVE = 0  # the state of a node, in Ray's tables
HTTP2_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
HTTP2_SETTINGS = 4  # the kind of frame with which a server of HTTP/2, as Ray's is, answers


@dataclass(frozen=True)
class Node:
    """One machine of a cluster."""

    id: str
    name: str
    cpus: int
    gpus: int
    is_here: bool = False  # whether it is the machine that we run on


@dataclass(frozen=True)
class Seat:
    """Room for one actor."""

    cpus: int = 1
    gpus: float = 0.0
    threads: int = 1


class Refused(PocketZeroError):
    """A node whose programs are not those of this machine."""


def seats_by_core(node: Node) -> list[Seat]:
    """One actor for each core; all share the graphics cards."""
    share = int(node.gpus / max(1, node.cpus) * 10_000) / 10_000
    return [Seat(gpus=share)] * node.cpus


def seats_by_device(node: Node) -> list[Seat]:
    """One actor with several threads for each graphics card, which it fills; without any, one for each core."""
    cards = min(node.gpus, node.cpus)
    if not cards:
        return [Seat()] * node.cpus
    cores = node.cpus // cards
    return [Seat(cpus=cores, gpus=1.0, threads=cores)] * cards


@cache
def programs() -> dict[str, str]:
    """What games depend on, by name: our own files with presets and nets, Python, and the packages that compute."""
    files, folder = hashlib.sha256(), Path(__file__).parent
    for file in sorted(each for suffix in OUR_FILES for each in folder.rglob(f"*{suffix}")):
        files.update(file.read_bytes())
    found = {"PocketZero": f"{__version__} ({files.hexdigest()[:8]})", "Python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "none"
    return found


def differing(theirs: dict[str, str], ours: dict[str, str], name: str) -> str:
    """What another node runs that we do not, in a sentence; empty if nothing."""
    words = [
        f"{each} {theirs.get(each, 'none')} (here {ours[each]})" for each in ours if theirs.get(each) != ours[each]
    ]
    return f"The node {name} runs {', '.join(words)}; all nodes of a cluster need the same." if words else ""


class Cluster:
    """A connection to Ray."""

    def __init__(self, ray: Any, *, ours: bool) -> None:
        self.ray = ray
        self._ours = ours

    def nodes(self) -> list[Node]:
        """The nodes that are alive, this machine first."""
        here = self.ray.get_runtime_context().get_node_id()
        found = []
        for row in self.ray.nodes():
            if row["Alive"]:
                room = row["Resources"]
                name = f"{row['NodeManagerHostname']}/{row['NodeID'][:6]}"
                cpus, gpus = int(room.get("CPU", 0)), int(room.get("GPU", 0))
                found.append(Node(row["NodeID"], name, cpus, gpus, row["NodeID"] == here))
        return sorted(found, key=lambda node: (not node.is_here, node.name))

    def close(self) -> None:
        """Let go of the cluster; one that was started here ends."""
        if self._ours:
            self.ray.shutdown()


def connect(address: str, *, cpus: int = 0) -> Cluster:
    """Reach the cluster at an address, or start one of this machine's own, with so many cores."""
    if importlib.util.find_spec("ray") is None:
        raise PocketZeroError("--ray needs Ray, which the install leaves out: pip install 'pocketzero[cluster]'.")
    check_address(address)
    ray = import_ray(local=address == LOCAL)
    if ray.is_initialized():  # whoever did that also ends it
        return Cluster(ray, ours=False)
    if address != LOCAL:
        _check_membership(ray, address)
    options: dict[str, Any] = {"address": address}
    if address == LOCAL:
        options |= {"num_cpus": cpus or os.cpu_count() or 1, "object_store_memory": OBJECTS, "include_dashboard": False}
    try:
        ray.init(log_to_driver=False, logging_level=logging.ERROR, **options)
    except Exception as error:  # Ray raises anything, a bare Exception where a machine is too busy to begin in time
        raise PocketZeroError(_why(address, " ".join(str(error).split()) or type(error).__name__)) from None
    return Cluster(ray, ours=True)


def _why(address: str, reason: str) -> str:
    if address == LOCAL:
        return f"Ray cannot be started on this machine: {reason}"
    return (
        f"The Ray cluster {address} cannot be used from this machine: {reason} The machine must be a node of the "
        "cluster (`ray start --address=HEAD:6379`) with the same Ray and Python."
    )


def _check_membership(ray: Any, address: str) -> None:
    """Make sure that this machine is a node of the cluster; Ray itself would look for it for a minute."""
    try:
        rows = ray._raylet.GcsClient(address=resolved(address)).get_all_node_info(timeout=ANSWER_SECONDS)
        places = {row.node_manager_address for row in rows.values() if row.state == ALIVE}
    except Exception:  # another version of Ray, which `init` explains better
        return
    if places and not any(is_ours(place) for place in places):
        raise PocketZeroError(_why(address, f"its nodes are {', '.join(sorted(places))}, and none of them is here."))


def is_ours(place: str) -> bool:
    """Whether a network address is this machine's: nobody can listen at another's."""
    try:
        family, *_, at = socket.getaddrinfo(place, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, socket.SOCK_STREAM) as listener:
            listener.bind(at)
    except OSError:
        return False
    return True


def import_ray(*, local: bool) -> Any:
    """Ray, told to keep to itself."""
    if "ray" not in sys.modules:
        os.environ.update(SETTINGS | (LOOPBACK if local else {}))
    import ray
    import ray.util.scheduling_strategies

    return ray


def resolved(address: str) -> str:
    """``auto`` as the address that it stands for: of the cluster that this machine has joined."""
    if address != RUNNING:
        return address
    note = Path(os.environ.get("RAY_TMPDIR", "/tmp")) / "ray" / "ray_current_cluster"
    found = os.environ.get("RAY_ADDRESS", "") or (note.read_text().strip() if note.is_file() else "")
    if not found:
        raise PocketZeroError("This machine has joined no Ray cluster: `ray start --address=HEAD:6379` does that.")
    return found


def check_address(address: str) -> None:
    """Make sure that something like Ray answers there; Ray itself would try for a minute."""
    if address == LOCAL:
        return
    address = resolved(address)
    found = re.fullmatch(r"\[?([^\s/]+?)\]?:(\d{1,5})", address)
    if found is None or not 0 < int(found[2]) < 1 << 16:
        raise PocketZeroError(
            f"--ray takes the HOST:PORT of a cluster's head (usually port 6379), 'auto' for the cluster that this "
            f"machine has joined, or nothing for this machine alone; not {address!r}."
        )
    try:
        with socket.create_connection((found[1], int(found[2])), timeout=ANSWER_SECONDS) as connection:
            connection.sendall(HTTP2_GREETING)
            answer = connection.recv(9)
    except OSError as error:
        reason = error.strerror or str(error) or "no answer"
        raise PocketZeroError(f"No Ray cluster answers at {address}: {reason}.") from None
    if len(answer) < 4 or answer[3] != HTTP2_SETTINGS:
        raise PocketZeroError(f"What answers at {address} is no Ray cluster.")


@dataclass(eq=False)
class Member:
    """One actor on its seat."""

    number: int
    node: Node
    seat: Seat
    actor: Any
    ready: bool = False  # whether it has greeted
    calls: deque[tuple[Any, Any]] = field(default_factory=deque)  # what it was asked: the result to come, and a mark


class Crew:
    """Actors of one kind on all seats of a cluster. ``make`` says with what an actor of a number and seat begins."""

    def __init__(
        self,
        cluster: Cluster,
        kind: type,
        seats: Callable[[Node], list[Seat]],
        make: Callable[[int, Seat], tuple[Any, ...]],
        *,
        most: int = 0,
    ) -> None:
        self.cluster = cluster
        self.members: list[Member] = []
        self.refused: dict[str, str] = {}  # why nodes have no actors, by their names
        self.deaths = 0
        self._kind, self._seats, self._make, self._most = kind, seats, make, most
        self._number = 0
        self._looked = 0.0
        self._deaths: dict[str, list[float]] = {}  # when actors died that had done nothing, by node
        self._begun = False
        self._lost: list[Any] = []  # marks of calls that were lost

    def begin(self) -> None:
        """Seat the first actors, and wait until one of each node has greeted; what is wrong is an error now."""
        self.tend()
        if not self.members:
            raise PocketZeroError("The cluster has no node with a free core.")
        end, ready = time.monotonic() + BEGIN_SECONDS, False
        while time.monotonic() < end and not {each.node.id for each in self.members} <= self._greeted:
            self.gather(0.2)
            self.tend()
            if self._greeted and not ready:
                ready, end = True, time.monotonic() + OTHERS_SECONDS
        if not self._greeted:
            raise PocketZeroError(
                f"No actor could begin within {BEGIN_SECONDS:g} seconds; the cluster's cores may be taken. Free: "
                f"{self.cluster.ray.available_resources().get('CPU', 0):g} of "
                f"{self.cluster.ray.cluster_resources().get('CPU', 0):g}."
            )
        self._begun = True

    @property
    def _greeted(self) -> set[str]:
        """The nodes on which somebody has greeted."""
        return {each.node.id for each in self.ready}

    @property
    def ready(self) -> list[Member]:
        """Those who can be asked for something."""
        return [each for each in self.members if each.ready]

    @property
    def idle(self) -> list[Member]:
        """Those who have nothing to do."""
        return [each for each in self.ready if not each.calls]

    def take_lost(self) -> list[Any]:
        """The marks of calls whose results will not come, since the last time."""
        lost, self._lost = self._lost, []
        return lost

    def tend(self) -> None:
        """Look at the nodes now and then: forget actors of those that are gone, fill the seats of those that came."""
        if time.monotonic() - self._looked < LOOK_SECONDS:
            return
        self._looked = time.monotonic()
        nodes = self.cluster.nodes()
        alive = {node.id for node in nodes}
        for member in [each for each in self.members if each.node.id not in alive]:
            self._bury(member, "its node is gone")
        taken = Counter(each.node.id for each in self.members)
        for node in nodes:
            if node.name not in self.refused:
                self._fill(node, taken[node.id])
        if self.refused and not self.members:
            raise PocketZeroError(f"The cluster has no node left that can be used. {' '.join(self.refused.values())}")

    def _fill(self, node: Node, taken: int) -> None:
        for seat in self._seats(node)[taken:]:
            if self._most and len(self.members) >= self._most:
                return
            self._seat(node, seat)

    def _seat(self, node: Node, seat: Seat) -> None:
        """Begin an actor; it stays there, and only we begin it again."""
        ray = self.cluster.ray
        where = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node.id, soft=False)
        kind = ray.remote(self._kind).options(
            num_cpus=seat.cpus, num_gpus=seat.gpus, max_restarts=0, max_task_retries=0, scheduling_strategy=where
        )
        member = Member(self._number, node, seat, kind.remote(*self._make(self._number, seat)))
        self._number += 1
        member.calls.append((member.actor.greet.remote(), None))
        self.members.append(member)

    def ask(self, member: Member, method: str, *arguments: Any, mark: Any = None) -> None:
        """Ask a member for something; what it gives comes out of ``gather``."""
        member.calls.append((getattr(member.actor, method).remote(*arguments), mark))

    def gather(self, seconds: float) -> list[tuple[Member, Any, Any]]:
        """What members have done by now, each with its mark; waits so long for the first of it."""
        owners = {each.calls[0][0]: each for each in self.members if each.calls}
        if not owners:
            time.sleep(seconds)
            return []
        ray = self.cluster.ray
        done, _ = ray.wait(list(owners), num_returns=1, timeout=seconds)
        if len(done) < len(owners):
            done, _ = ray.wait(list(owners), num_returns=len(owners), timeout=0)
        return [found for each in done for found in self._result(owners[each], each)]

    def _result(self, member: Member, promise: Any) -> list[tuple[Member, Any, Any]]:
        """The result of a member's oldest call, unless the member has died or was sent away meanwhile."""
        if member not in self.members:
            return []
        errors = self.cluster.ray.exceptions
        try:
            result = self.cluster.ray.get(promise, timeout=FETCH_SECONDS)
        except errors.RayError as fault:
            if isinstance(getattr(fault, "cause", None), PocketZeroError):  # it would be the same everywhere
                raise fault.cause from None
            self._bury(member, str(fault))
            return []
        _, mark = member.calls.popleft()
        if not member.ready:
            self._welcome(member, result)
            return []
        self._deaths.pop(member.node.id, None)
        return [(member, mark, result)]

    def _welcome(self, member: Member, theirs: dict[str, str]) -> None:
        """Let a member work if its programs are ours. At first others are an error; later their node is left out."""
        if difference := differing(theirs, programs(), member.node.name):
            if not self._begun:
                raise Refused(difference)
            self._refuse(member.node, difference)
            return
        member.ready = True

    def _refuse(self, node: Node, why: str) -> None:
        """Have nothing more to do with a node."""
        self.refused[node.name] = why
        for each in [each for each in self.members if each.node.id == node.id]:
            self._dismiss(each)

    def _bury(self, member: Member, why: str) -> None:
        """Forget a member that died; its seat is filled again at the next look, unless all on its node do so."""
        self._dismiss(member)
        self.deaths += 1
        times = self._deaths.setdefault(member.node.id, [])
        times.append(time.monotonic())
        too_many = len(times) >= MOST_DEATHS * len(self._seats(member.node))
        if too_many and times[-1] - times[0] > DEATH_SECONDS:  # a node that is gone would be known to be by then
            lines = [line.strip() for line in why.splitlines() if line.strip()]
            words = f"Actors on the node {member.node.name} die as they begin: {lines[-1]}"
            if not self._begun:
                raise PocketZeroError(words)
            self._refuse(member.node, words)

    def _dismiss(self, member: Member) -> None:
        self.members.remove(member)
        self._lost += [mark for _, mark in member.calls if mark is not None]
        self.cluster.ray.kill(member.actor, no_restart=True)

    def close(self) -> None:
        """End all actors."""
        for member in list(self.members):
            self._dismiss(member)
