"""The learner: one net, its optimiser and its moving average, all of which a resumed run gets back as they were."""

from __future__ import annotations

import copy
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from pocketzero.errors import PocketZeroError
from pocketzero.nets.description import MARGIN, OWNER, POLICY, REPLY, VALUE, WDL, NetDescription
from pocketzero.nets.files import write_atomically
from pocketzero.nets.kinds import build_net
from pocketzero.nets.openvino_net import has_bf16
from pocketzero.training.config import LearnOptions
from pocketzero.training.frames import Frame
from pocketzero.training.net_choice import heads_of
from pocketzero.training.schedule import Schedule

FORMAT = 1
AVERAGES_FROM = 20  # steps after which the moving average is slow; before, it follows quickly


class Learner:
    """Takes steps on frames."""

    def __init__(self, description: NetDescription, options: LearnOptions, *, seed: int = 0) -> None:
        torch.manual_seed(seed)
        self.description = description
        self.options = options
        self.step = 0
        self.net = build_net(description)
        if not any(isinstance(module, nn.Conv3d) for module in self.net.modules()):
            self.net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.average = copy.deepcopy(self.net).eval()
        kinds = {"adamw": torch.optim.AdamW, "adam": torch.optim.Adam, "sgd": torch.optim.SGD}
        kind: type[torch.optim.Adam | torch.optim.SGD] = kinds[options.optimiser]
        self.optimiser = kind(_groups(self.net, options.weight_decay), lr=0.001, fused=True)
        self._heads = torch.from_numpy(heads_of(description)) if options.softmax == "head" else None
        self._rate = Schedule.read(options.rate)
        self._bf16 = has_bf16() if options.bf16 == "auto" else options.bf16 == "yes"

    def begin_with(self, net: nn.Module) -> None:
        """Start from the weights of another net of the same shape."""
        theirs: NetDescription = net.description  # type: ignore[assignment]
        same = ("kind", "game", "encoding", "outputs", "channels", "blocks", "pool_every", "policy", "kernel")
        wrong = [name for name in same if getattr(theirs, name) != getattr(self.description, name)]
        if wrong:
            words = [
                f"{name} {getattr(theirs, name)!r} there, {getattr(self.description, name)!r} here" for name in wrong
            ]
            raise PocketZeroError(f"The run cannot start from that net: {'; '.join(words)}.")
        self.net.load_state_dict(net.state_dict())
        self.average.load_state_dict(net.state_dict())

    def learn(self, frame: Frame, progress: float) -> dict[str, float]:
        """One step; gives the losses by head."""
        for group in self.optimiser.param_groups:
            group["lr"] = self._rate.at(progress)
        self.net.train()
        losses = self._losses(self.net, frame)
        self.optimiser.zero_grad(set_to_none=True)
        self._total(losses).backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.net.parameters(), self.options.clip)
        self.optimiser.step()
        self.step += 1
        self._follow()
        found = {name: float(loss.detach()) for name, loss in losses.items()}
        if not all(np.isfinite(number) for number in found.values()):
            raise PocketZeroError(
                f"The losses are no longer numbers after {self.step} steps ({found}); try a lower learn.rate."
            )
        return found

    def measure(self, frame: Frame) -> dict[str, float]:
        """The losses of the net that plays, on samples it does not learn from."""
        with torch.inference_mode():
            return {name: float(loss) for name, loss in self._losses(self.average, frame).items()}

    def _total(self, losses: dict[str, Tensor]) -> Tensor:
        weights = {VALUE: self.options.wdl} | asdict(self.options)
        return torch.stack([weights[name] * loss for name, loss in losses.items()]).sum()

    def _losses(self, net: nn.Module, frame: Frame) -> dict[str, Tensor]:
        """A loss for each output of the net."""
        planes = torch.from_numpy(frame.planes).to(memory_format=torch.channels_last)
        mask = torch.from_numpy(frame.mask)
        with torch.autocast("cpu", torch.bfloat16, enabled=self._bf16):
            outputs = net(planes, mask)
        found = {name: output.float() for name, output in zip(self.description.outputs, outputs)}
        form = self.options.softmax
        return {
            name: self._policy_loss(output.flatten(1), frame)
            if name == POLICY and form != "legal"
            else _loss(name, output, frame, mask)
            for name, output in found.items()
        }

    def _policy_loss(self, logits: Tensor, frame: Frame) -> Tensor:
        """The papers' ways to learn the policy."""
        wanted = torch.from_numpy(frame.policy)
        if self.options.softmax == "pixels":
            return _pixel_loss(logits, wanted)
        if self._heads is not None:
            speaking = (torch.from_numpy(frame.legal) @ self._heads.T > 0).float()  # heads that have a legal action
            logits = logits.masked_fill(speaking @ self._heads == 0, -1e9)
        return _cross_entropy(logits, wanted)

    def _follow(self) -> None:
        """Let the moving average follow; in the first steps more quickly."""
        keep = min(self.options.ema, self.step / (self.step + AVERAGES_FROM))
        with torch.no_grad():
            mine, theirs = self.average.state_dict().values(), self.net.state_dict().values()
            pairs = [pair for pair in zip(mine, theirs) if pair[0].is_floating_point()]
            torch._foreach_lerp_([own for own, _ in pairs], [other for _, other in pairs], 1 - keep)

    def save(self, path: Path, notes: dict[str, Any]) -> None:
        """Write everything that a resumed run needs, in one step."""
        from safetensors.torch import save

        tensors = {f"net.{name}": tensor for name, tensor in self.net.state_dict().items()}
        tensors |= {f"average.{name}": tensor for name, tensor in self.average.state_dict().items()}
        for number, state in self.optimiser.state_dict()["state"].items():
            tensors |= {f"optimiser.{number}.{name}": torch.as_tensor(value) for name, value in state.items()}
        tensors["chance"] = torch.get_rng_state()
        about = {"format": FORMAT, "step": self.step, "net": self.description.to_json(), **notes}
        data = save(
            {name: tensor.detach().contiguous() for name, tensor in tensors.items()}, {"run": json.dumps(about)}
        )
        write_atomically(path, data)

    def load(self, path: Path) -> dict[str, Any]:
        """Go on from a file that ``save`` wrote; gives its notes."""
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path, "pt") as file:
                about = json.loads((file.metadata() or {})["run"])
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is no dictionary
            if about["net"] != self.description.to_json():
                raise PocketZeroError(f"{path} belongs to another net than the settings describe.")
            self.net.load_state_dict(_under("net.", tensors))
            self.average.load_state_dict(_under("average.", tensors))
            self._load_optimiser(_under("optimiser.", tensors))
            torch.set_rng_state(tensors["chance"])
        except (SafetensorError, OSError, KeyError, ValueError, RuntimeError) as error:
            if isinstance(error, PocketZeroError):
                raise
            raise PocketZeroError(f"{path} is damaged: {str(error).splitlines()[0]}.") from None
        self.step = int(about["step"])
        return dict(about)

    def return_to(self, path: Path) -> None:
        """Take back the weights and the optimiser of an earlier state; steps are counted on."""
        step, chance = self.step, torch.get_rng_state()
        self.load(path)
        self.step = step
        torch.set_rng_state(chance)

    def _load_optimiser(self, tensors: dict[str, Tensor]) -> None:
        parameters = [each for group in self.optimiser.param_groups for each in group["params"]]
        state: dict[int, dict[str, Tensor]] = {}
        for name, tensor in tensors.items():
            number, _, field = name.partition(".")
            like = parameters[int(number)]
            if tensor.shape == like.shape:  # in memory as the weights are, on which the fused optimiser relies
                tensor = torch.empty_like(like).copy_(tensor)
            state.setdefault(int(number), {})[field] = tensor
        groups = self.optimiser.state_dict()["param_groups"]
        self.optimiser.load_state_dict({"state": state, "param_groups": groups})


def _under(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name[len(prefix) :]: tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def _groups(net: nn.Module, weight_decay: float) -> list[dict[str, Any]]:
    """Weights decay; biases and normalisations do not."""
    weights = [parameter for parameter in net.parameters() if parameter.ndim > 1]
    others = [parameter for parameter in net.parameters() if parameter.ndim <= 1]
    return [{"params": weights, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0.0}]


def _loss(name: str, output: Tensor, frame: Frame, mask: Tensor) -> Tensor:
    """The loss of one output."""
    if name in (POLICY, REPLY):
        return _policy_loss(output.flatten(1), torch.from_numpy(getattr(frame, name)), frame, legal=name == POLICY)
    if name == WDL:
        return nn.functional.cross_entropy(output, torch.from_numpy(frame.wdl))
    known = torch.from_numpy(frame.has_end)
    if name == VALUE:
        wanted = torch.from_numpy(frame.wdl[:, 0] - frame.wdl[:, 2])
        return (output.reshape(-1) - wanted).square().mean()
    if name == MARGIN:
        return ((output.reshape(-1) - torch.from_numpy(frame.margin)).square() * known).sum() / known.sum().clamp(1)
    if name == OWNER:
        wrong = (output[:, 0] - torch.from_numpy(frame.owner)).square() * mask[:, 0]
        share = wrong.sum((1, 2)) / mask.sum((1, 2, 3))
        return (share * known).sum() / known.sum().clamp(1)
    raise PocketZeroError(f"There is no way to learn the output {name!r}.")


def _policy_loss(logits: Tensor, wanted: Tensor, frame: Frame, *, legal: bool) -> Tensor:
    """Cross entropy; of the mover's policy over its legal moves, of the reply over all."""
    if legal:
        logits = logits.masked_fill(torch.from_numpy(frame.legal) == 0, -1e9)
    return _cross_entropy(logits, wanted)


def _cross_entropy(logits: Tensor, wanted: Tensor) -> Tensor:
    """Over all places of the policy, where one is known."""
    known = (wanted.sum(1) > 0).float()
    each = -(wanted * nn.functional.log_softmax(logits, 1)).sum(1)
    return (each * known).sum() / known.sum().clamp(1)


def _pixel_loss(logarithms: Tensor, wanted: Tensor) -> Tensor:
    """Every place has a chance of its own to be a move, whose logarithm the net gives (Peters 2018, 6.4.1)."""
    likely = logarithms.clamp(max=-1e-6)
    chosen = (wanted > 0).float()
    return -(chosen * likely + (1 - chosen) * torch.log1p(-likely.exp())).mean()
