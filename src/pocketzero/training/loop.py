"""A run: play a round, learn from it, measure now and then, until the time is over; the same call resumes.

What is to be done next follows from what is in the run directory: as long as the net has taken fewer steps than the
games played allow, it learns; otherwise it plays. So it does not matter when a process ends.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from pocketzero.cluster import check_address
from pocketzero.errors import PocketZeroError
from pocketzero.games import Game
from pocketzero.nets.evaluator import choose_evaluator
from pocketzero.nets.files import checkpoint_path, find_net, load_net, save_net
from pocketzero.training.config import Config
from pocketzero.training.episodes import Episode
from pocketzero.training.frames import Framer
from pocketzero.training.gating import Gate
from pocketzero.training.learner import Learner
from pocketzero.training.measure import Strength, measure
from pocketzero.training.net_choice import description_of
from pocketzero.training.positions import is_labelling_round
from pocketzero.training.rundir import RunDir
from pocketzero.training.samples import Window, window_width
from pocketzero.training.warm import taught_games
from pocketzero.training.workers import Playing, Workers, resident_mb

HELD_PLIES = 20_000  # of held-back games, the newest
HELD_SAMPLES = 1024  # that the losses are measured on
STATE_SECONDS = 2.0  # between two looks at the run from outside


@dataclass
class Status:
    """What a run is doing, for people who watch."""

    game: str
    phase: str = "beginning"
    games: int = 0
    plies: int = 0
    steps: int = 0
    simulations_per_second: float = 0.0
    evaluations_per_second: float = 0.0
    net_share: float = 0.0  # of the players' time
    losses: dict[str, float] = field(default_factory=dict)
    held_losses: dict[str, float] = field(default_factory=dict)
    strength: list[str] = field(default_factory=list)
    seconds: float = 0.0
    planned: float = 0.0
    finished: bool = False
    set_aside: list[str] = field(default_factory=list)
    cluster: dict[str, Any] = field(default_factory=dict)  # its nodes, if there is one


class Run:
    """One run in one directory."""

    def __init__(
        self,
        config: Config,
        folder: Path,
        *,
        init: str = "",
        accept_changes: bool = False,
        ray: str = "",
    ) -> None:
        """``ray`` is the address of a cluster whose actors play in place of threads; see ``pocketzero.cluster``."""
        if ray:
            check_address(ray)
        torch.set_num_threads(config.learn.threads or os.cpu_count() or 1)
        self.config = config
        self.boards = config.all_boards()
        self.folder = RunDir(folder, config, accept_changes=accept_changes)
        self.stop = threading.Event()
        self.status = Status(config.game, planned=config.minutes * 60)
        self._ray = ray
        self.gate = Gate(config.gating, self.boards[0][0], self.folder)
        self._chance = np.random.default_rng((config.seed, self.folder.shards.next_number))
        self._measured: set[int] = set()
        self._last_measure = 0.0
        self._shown = 0.0
        try:
            self._begin(init)
        except BaseException:
            self.folder.close()
            raise

    def _begin(self, init: str) -> None:
        """The net, as it was or new, and the games that it learns from."""
        config, games = self.config, [game for game, _ in self.boards]
        self.description = description_of(config.net, games)
        self.learner = Learner(self.description, config.learn, seed=config.seed)
        if not self._resume() and init:
            self.learner.begin_with(load_net(find_net(init)))
        self.framer = Framer(self.description, games, config.learn.search_value)
        self.window, self.held = Window(in_turn=config.replay.in_turn), Window()
        self._fill_window()
        self.workers = self._make_workers(games)
        try:
            self.workers.set_net(self.learner.average, self.learner.step)
            self._begin_gating()
        except BaseException:
            self.workers.close()
            raise
        self._count()

    def _resume(self) -> bool:
        """Go on from the newest state of learning that is whole; one that is not is set aside."""
        for file in self.folder.learner_files():
            try:
                notes = self.learner.load(file)
            except PocketZeroError as error:
                aside = file.with_suffix(".damaged")
                file.rename(aside)
                self.status.set_aside.append(f"{error} It is kept as {aside.name}.")
                continue
            self.status.seconds = float(notes.get("seconds", 0.0))
            self._last_measure = float(notes.get("last_measure", 0.0))
            self._measured = set(notes.get("measured", []))
            self._chance.bit_generator.state = notes["chance"]
            self.gate.read(notes.get("gate", {}))
            return True
        return False

    def _fill_window(self) -> None:
        """The newest games, as many as the window is wide."""
        for episode in self.folder.pending:
            self._take_in(episode)
        width = self._width()
        for shard in self.folder.shards.newest_first():
            for episode in reversed(shard):
                (self.held if episode.held_back else self.window).add_older(episode)
            if self.window.plies >= width:
                break
        self.held.shrink(HELD_PLIES)
        self.status.set_aside += [f"{path} is damaged and was set aside." for path in self.folder.shards.set_aside]

    def _take_in(self, episode: Episode) -> None:
        (self.held if episode.held_back else self.window).add(episode)

    def _width(self) -> int:
        replay = self.config.replay
        return window_width(self.plies, start=replay.window, exponent=replay.growth, largest=replay.largest)

    def _make_workers(self, games: list[Game]) -> Playing:
        config = self.config
        seed = (config.seed, self.folder.shards.next_number + len(self.folder.pending))
        if self._ray:
            from pocketzero.training.actors import ClusterWorkers

            return ClusterWorkers(self._ray, config, games, seed=seed)
        first = choose_evaluator(self.learner.average, games[0], device=config.device)
        device = "openvino" if type(first).__name__ == "OpenVinoEvaluator" else config.device
        others = [choose_evaluator(self.learner.average, game, device=device) for game in games[1:]]
        return Workers(
            [first, *others],
            config.selfplay,
            threads=config.threads or os.cpu_count() or 1,
            trees=config.trees,
            seed=seed,
            positions=config.positions,
        )

    def _begin_gating(self) -> None:
        """The net that was accepted last plays; at first, the one that is there."""
        if not self.gate.is_on:
            return
        if self.gate.accepted < 0:
            save_net(self.learner.average, checkpoint_path(self.folder.path, self.learner.step))
            self.gate.accept(self.learner.step)
            self._save()
        self.gate.seat(self.workers)
        self.gate.note()

    @property
    def plies(self) -> int:
        """Searched plies that were ever played to learn from."""
        pending = sum(len(episode.searched) for episode in self.folder.pending if not episode.held_back)
        return self.folder.shards.plies + pending

    @property
    def progress(self) -> float:
        """How much of the run is over, from 0 to 1."""
        by_steps = self.learner.step / self.config.steps if self.config.steps else 0.0
        by_rounds = self.rounds / self.config.rounds if self.config.rounds else 0.0
        return min(1.0, max(by_steps, by_rounds, self.status.seconds / self.status.planned))

    @property
    def rounds(self) -> int:
        """How many rounds are over: played, learned from, and judged where there is a gate."""
        waits = self.learner.step < self.steps_due or self.gate.waits_for(self.learner.step)
        return max(0, self.folder.shards.rounds - waits)

    @property
    def steps_due(self) -> int:
        """How many steps the games in shards allow."""
        replay, learn = self.config.replay, self.config.learn
        due = int(self.folder.shards.plies * replay.reuse / learn.batch)
        return min(due, self.config.steps) if self.config.steps else due

    def run(self) -> Status:
        """Go on until the time is over or somebody stops it."""
        try:
            self._warm_up()
            while not self.stop.is_set() and self.progress < 1:
                if self.learner.step < self.steps_due:
                    self._learn()
                elif self.gate.waits_for(self.learner.step):
                    self._judge()
                elif self._wants_measure():
                    self._measure()
                else:
                    self._play()
            if not self.stop.is_set() and self.config.measure.minutes and self._playing not in self._measured:
                self._measure()
            self.status.phase = "stopped" if self.progress < 1 else "finished"
            self.status.finished = self.progress >= 1
        except BaseException:
            self.status.phase = "failed"
            raise
        finally:
            with contextlib.suppress(PocketZeroError, OSError):
                self._show(force=True)
            self.workers.close()
            self.folder.close()
        return self.status

    @contextlib.contextmanager
    def _phase(self, name: str):  # type: ignore[no-untyped-def]
        """Time that is spent on one thing."""
        self.status.phase = name
        begin = time.perf_counter()
        self._spent_before = self.status.seconds
        self._phase_begin = begin
        try:
            self._show(force=True)
            yield
        finally:
            self._tick()

    def _tick(self) -> None:
        """Bring the clock and what is seen from outside up to date."""
        self.status.seconds = self._spent_before + time.perf_counter() - self._phase_begin
        self._count()
        self._show()

    def _count(self) -> None:
        self.status.games, self.status.plies = self.folder.games, self.plies
        self.status.steps = self.learner.step

    def _show(self, *, force: bool = False) -> None:
        if force or time.monotonic() - self._shown > STATE_SECONDS:
            self._shown = time.monotonic()
            self.folder.show(vars(self.status))

    def _warm_up(self) -> None:
        """Games of a teacher, before the net plays its own."""
        warm = self.config.warm
        left = warm.games - self.folder.games
        if not warm.player or left <= 0:
            return
        with self._phase(f"watching {warm.player}"):
            number = self.folder.games
            while number < warm.games and not self.stop.is_set():
                some = taught_games(
                    warm.player, self.boards[0][0], range(number, min(number + 50, warm.games)), self.config
                )
                for episode in some:
                    self._take_in(episode)
                self.folder.add(some)
                number += len(some)
                self._tick()
            self.folder.close_shard()

    def _play(self) -> None:
        """One round of self-play."""
        with self._phase("playing"):
            self.workers.set_shares([board.share if self.progress >= board.start else 0.0 for _, board in self.boards])
            self.workers.set_labels(is_labelling_round(self.config.positions.share, self.folder.shards.rounds))
            replay = self.config.replay
            plies, games = self.folder.shards.plies + replay.round_plies, self.folder.shards.count + replay.round_games

            def enough() -> bool:
                return self.folder.games >= games if replay.round_games else self.plies >= plies

            def until(finished: list[Episode]) -> bool:
                self.folder.add(finished)
                for episode in finished:
                    self._take_in(episode)
                self._rates()
                self._tick()
                return self.stop.is_set() or enough() or self.progress >= 1

            self.workers.play(until)
            until(self.workers.take())
            if enough():
                self.folder.close_shard()
                self.window.shrink(self._width())
                self.held.shrink(HELD_PLIES)
                self._note_play()
                self.workers.end_round()

    def _rates(self) -> None:
        counts, seconds = self.workers.round_so_far()
        simulations, rows, busy = counts[:3]
        self.status.simulations_per_second = simulations / seconds
        self.status.evaluations_per_second = rows / seconds
        self.status.net_share = busy / (seconds * self.workers.threads)
        self.status.cluster = self.workers.facts()

    def _note_play(self) -> None:
        counts, seconds = self.workers.round_so_far()
        self.folder.note(
            "selfplay",
            source="positions" if self.workers.labels else "games",
            seconds=self.status.seconds,
            spent=seconds,
            games=self.folder.games,
            plies=self.plies,
            window=self.window.plies,
            games_per_second=counts[3] / seconds,
            simulations_per_second=self.status.simulations_per_second,
            evaluations_per_second=self.status.evaluations_per_second,
            net_share=self.status.net_share,
            resign_checked=int(counts[4]),
            resign_wrong=int(counts[5]),
            memory_mb=resident_mb(),
            **self.workers.facts(),
        )

    def _learn(self) -> None:
        """All steps that are due; then the new net plays, and everything is kept."""
        with self._phase("learning"), ThreadPoolExecutor(1) as ahead:
            totals, recent = dict[str, float](), dict[str, float]()
            late: list[Episode] = []  # games that others finish while the net learns
            first, due = self.learner.step, self.steps_due
            waiting = ahead.submit(self._frame)
            while self.learner.step < due and not self.stop.is_set():
                frame, waiting = waiting.result(), ahead.submit(self._frame)
                for name, loss in self.learner.learn(frame, self.progress).items():
                    totals[name] = totals.get(name, 0.0) + loss
                    recent[name] = recent.get(name, 0.0) + loss
                if (history := self.config.learn.history) and (self.learner.step - first) % history == 0:
                    self._note_history(recent, history)
                found = self.workers.take()
                self.folder.add(found)
                late += found
                self._tick()
            waiting.result()
            for episode in late:  # only now, since frames were drawn from the window until here
                self._take_in(episode)
            steps = self.learner.step - first
            if steps:
                self.status.losses = {name: total / steps for name, total in totals.items()}
                self._note_learning(steps)
        if not self.gate.is_on:
            self.workers.set_net(self.learner.average, self.learner.step)
        self._save()

    def _judge(self) -> None:
        """Let the newest net meet the one that plays; saving makes the decision final."""
        with self._phase("gating"):
            decided = self.gate.judge(self.learner.step, self.status.seconds, self.stop)
        if decided:
            self.gate.settle(self.learner)
            self._save()
            self.gate.note()
            self.gate.seat(self.workers)

    def _frame(self):  # type: ignore[no-untyped-def]
        samples = self.window.draw(self.config.learn.batch, self._chance)
        return self.framer.frame(samples, self._chance, symmetric=self.config.learn.symmetric)

    def _held_losses(self) -> dict[str, float]:
        """What the net that plays makes of games it does not learn from."""
        if not self.held.plies:
            return {}
        chance = np.random.default_rng(self.learner.step)
        return self.learner.measure(self.framer.frame(self.held.draw(HELD_SAMPLES, chance), chance))

    def _note_history(self, recent: dict[str, float], steps: int) -> None:
        """The mean losses of so many steps, which are then forgotten."""
        losses = {name: total / steps for name, total in recent.items()}
        recent.clear()
        self.folder.note("history", step=self.learner.step, losses=losses, held_losses=self._held_losses())

    def _note_learning(self, steps: int) -> None:
        self.status.held_losses = self._held_losses() or self.status.held_losses
        self.folder.note(
            "train",
            seconds=self.status.seconds,
            step=self.learner.step,
            steps=steps,
            rate=self.learner.optimiser.param_groups[0]["lr"],
            loss=sum(self.status.losses.values()),
            losses=self.status.losses,
            held_losses=self.status.held_losses,
        )

    def _save(self) -> None:
        """Keep the state of learning and the net that plays."""
        notes = {
            "seconds": self.status.seconds,
            "last_measure": self._last_measure,
            "measured": sorted(self._measured),
            "chance": self._chance.bit_generator.state,
            "gate": self.gate.notes(),
        }
        if self.learner.step != self.gate.judged:  # a net that was judged stays as it was
            save_net(self.learner.average, checkpoint_path(self.folder.path, self.learner.step))
        self.learner.save(self.folder.learner_path(self.learner.step), notes)
        self.folder.forget_old(self.config.keep, self._measured, self.gate.kept)

    @property
    def _playing(self) -> int:
        """The net that plays, by its steps."""
        return self.gate.playing(self.learner.step)

    def _wants_measure(self) -> bool:
        every = self.config.measure.minutes * 60
        return every > 0 and self.learner.step > 0 and self.status.seconds - self._last_measure >= every

    def _measure(self) -> None:
        """How strong the net is now."""
        step = self._playing
        with self._phase("measuring"):
            path = checkpoint_path(self.folder.path, step)
            if not path.exists():
                save_net(self.learner.average, path)
            found = measure(self.config, self.boards[0][0], self.folder.path, step, self.stop)
            for each in found:
                self.folder.note(each.kind, seconds=self.status.seconds, step=step, **each.values)
        self.status.strength = [str(each) for each in found]
        self._measured.add(step)
        self._last_measure = self.status.seconds
        self._keep_best(step, found)
        self._save()

    def _keep_best(self, step: int, found: list[Strength]) -> None:
        """The newest net is the best there is, as long as gating does not say otherwise."""
        if self.gate.is_on:
            return
        data = checkpoint_path(self.folder.path, step).read_bytes()
        from pocketzero.nets.files import write_atomically

        write_atomically(self.folder.best_path(), data)
