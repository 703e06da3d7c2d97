"""deepzertz-19 and deepzertz-37: Zertz from self-play (Culberg, Hsu, Xu), its training curves, its matches, its logs.

Nets of several shapes learn from the same games, which gives figure 5. The nets of table 1 learn from their own and
meet each other and a chosen player, who takes the place of the person. Then come the paper's own future work, joint
actions against split ones at equal time, and the two-headed policy that it gave up.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pocketzero.arena.match import MatchResult
from pocketzero.arena.plots import curves
from pocketzero.experiments.comparison import NOTHING, Share
from pocketzero.experiments.document import Heading, Listing, Part, Plot, Text, table
from pocketzero.experiments.experiment import Experiment
from pocketzero.experiments.steps import Lab, Score, final_positions
from pocketzero.games.records import Record, write_record
from pocketzero.training.rundir import read_metrics

PAPER = "Kevin Culberg, Wei-ting Hsu, Alexia Xu: DeepZertz: Implementing AlphaZero to Play Zertz"
SYMMETRIES = 8  # as the paper counts: four of the board, and the opponent's view; planes from the mover's side give it
TABLE_1 = {"10 x 16 CNN vs. 10 x 32 CNN": 4, "person vs. 10 x 16 CNN": 5, "person vs. 10 x 32 CNN": 4}  # of 8
DENSE = "dense"
LOG = "deepzertz"  # the format of its appendix
Net = tuple[str, int, int]  # name, layers, filters


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """What the experiment is made of."""

    board: str
    nets: tuple[Net, ...]  # that play in table 1
    iterations: int = 30
    episodes: int = 750
    sims: int = 40
    replay: int = 150_000  # examples, each position in eight symmetries
    epochs: float = 50.0  # of the examples of an iteration
    batch: int = 1000
    usual_length: int = 10  # actions of a game: 60,000 examples in 8 symmetries from 750 episodes
    curve_layers: tuple[int, ...] = (5, 10, 15)
    curve_filters: tuple[int, ...] = (16, 32, 64)
    curve_iterations: int = 6  # of learning from one player's games, for figure 5
    curve_player: str = "greedy"
    curve_games: int = 750
    curve_every: int = 100  # steps of learning between two points of the curves
    match_games: int = 8
    match_sims: int = 1000
    match_seconds: float = 0.5  # a move, where joint and split actions meet
    person: str = "greedy"  # who takes the person's place
    narrow: int = 1  # how many times narrower the dense layers are than the paper's
    equal_time: bool = True  # whether joint and split actions, and the two heads, are compared


def net_settings(net: Net, chosen: Parameters) -> list[str]:
    """The settings of one net."""
    name, layers, filters = net
    kind = "deepzertz-dense" if name == DENSE else "deepzertz-cnn"
    return [f"net.kind={kind}", f"net.layers={layers}", f"net.channels={filters}", f"net.narrow={chosen.narrow}"]


def learning(chosen: Parameters, softmax: str) -> list[str]:
    """How all nets learn: Adam at 0.01, then 0.001 from half on, and an L2 term of 0.0002."""
    window = max(1, chosen.replay // SYMMETRIES)
    found = [f"learn.batch={chosen.batch}", "learn.optimiser=adam", 'learn.rate="0:0.01 0.499:0.01 0.5:0.001"']
    found += ["learn.weight_decay=4e-4", "learn.ema=0.0", "learn.search_value=0.0", f"learn.softmax={softmax}"]
    return [*found, f"replay.window={window}", f"replay.largest={window}", "learn.clip=1000.0"]


def selfplay(chosen: Parameters) -> list[str]:
    """How the paper plays for learning."""
    found = ["selfplay.method=puct", f"selfplay.sims={chosen.sims}", "selfplay.forced=0.0", "selfplay.noise_alpha=1.0"]
    found += ["selfplay.opening_share=0.0", "selfplay.proven=false", "selfplay.reduced=false", "trees=32"]
    found += [f"selfplay.temperature_moves={chosen.usual_length}", f"replay.round_games={chosen.episodes}"]
    return [*found, f"replay.reuse={SYMMETRIES * chosen.epochs}", f"rounds={chosen.iterations}"]


def train(
    lab: Lab, name: str, net: Net, chosen: Parameters, *, share: float, form: str = "/joint", softmax: str = "all"
) -> Path:
    """A net that learns by self-play."""
    settings = [*net_settings(net, chosen), *selfplay(chosen), *learning(chosen, softmax)]
    return lab.train(name, f"{chosen.board}{form}", settings, share=share)


def curve(lab: Lab, net: Net, chosen: Parameters, *, share: float) -> list[float]:
    """The losses of a net that learns from the same games as all others, one now and then."""
    label = net[0] if net[0] == DENSE else f"{net[1]} layers, {net[2]} filters"
    settings = [*net_settings(net, chosen), *learning(chosen, "all"), "selfplay.sims=1", "trees=1"]
    settings += [f"warm.player={chosen.curve_player}", f"warm.games={chosen.curve_games}", "selfplay.opening_share=1.0"]
    settings += [
        f"replay.reuse={SYMMETRIES * chosen.curve_iterations}",
        "rounds=1",
        f"learn.history={chosen.curve_every}",
    ]
    run = lab.train(f"figure 5, {label}", f"{chosen.board}/joint", settings, share=share)
    return [sum(line["losses"].values()) for line in read_metrics(run) if line["kind"] == "history"]


def figure_5(lab: Lab, chosen: Parameters, *, share: float) -> list[Part]:
    """The dense net and the convolutional ones, on the same games."""
    nets = [(DENSE, 10, 64)] + [
        ("cnn", layers, filters) for layers in chosen.curve_layers for filters in chosen.curve_filters
    ]
    lines = {}
    for net in nets:
        label = DENSE if net[0] == DENSE else f"{net[1]} x {net[2]}"
        lines[label] = curve(lab, net, chosen, share=share / len(nets))
    ends = {label: losses[-1] for label, losses in lines.items() if losses}
    rows = [(label, f"{losses[0]:.3f}", f"{losses[-1]:.3f}") for label, losses in lines.items() if losses]
    better = [label for label, loss in ends.items() if label != DENSE and loss < ends.get(DENSE, loss)]
    points = {
        label: [(chosen.curve_every * number, loss) for number, loss in enumerate(losses, 1)]
        for label, losses in lines.items()
    }
    title = "Figure 5: training loss by net"
    rivals = len([label for label in ends if label != DENSE])
    said = f"{len(better)} of {rivals} convolutional nets end below the dense one; in the paper all do."
    return [
        Heading("Figure 5"),
        Plot("figure-5", title, curves(title, points, x="steps of learning", y="loss")),
        table("Loss of policy and value together", ("net (layers x filters)", "first", "last"), rows),
        Text(said),
    ]


def player(run: Path, sims: int) -> str:
    """The player of a run, greedy as in the paper (4.2)."""
    return f"zero:{run},sims={sims},proven=no,reduced=no"


def timed(run: Path, seconds: float) -> str:
    """The same with a time for each move."""
    return f"zero:{run},seconds={seconds:g},proven=no,reduced=no"


def logs(result: MatchResult) -> list[str]:
    """The games of a match in the paper's format (its appendix)."""
    found = []
    for played, final in final_positions(result):
        names = ("A", "B") if played.first == "a" else ("B", "A")
        found.append(f"Game {played.number + 1}: {names[0]} first\n\n{write_record(Record(final, players=names), LOG)}")
    return found


def table_1(lab: Lab, runs: dict[str, Path], chosen: Parameters, *, share: float) -> list[Part]:
    """Every net against every other and against the person's place-holder, eight games each."""
    people = [chosen.person, *lab.wishes.engines]
    pairs = [(a, b) for number, a in enumerate(runs) for b in list(runs)[number + 1 :]]
    texts = {name: player(run, chosen.match_sims) for name, run in runs.items()} | {each: each for each in people}
    pairs += [(person, name) for person in people for name in runs]
    rows, listings = [], []
    for a, b in pairs:
        met = lab.match(
            texts[a],
            texts[b],
            f"{chosen.board}/joint",
            lab.games(chosen.match_games),
            share=share / len(pairs),
            extra=logs,
        )
        wanted = f"{'person' if a in people else a} vs. {b}"
        there = f"{TABLE_1[wanted]}/8" if wanted in TABLE_1 else NOTHING
        rows.append((f"{a} vs. {b}", there, f"{met.wins().hits}/{met.wins().tries}", met.wins(), _as_first(met)))
        listings.append(Listing(f"A: {a}, B: {b}\n\n{(met.extra or ['no game was finished'])[0]}"))
    head = ("game", "player 1 wins: paper", "ours", "ours (95%)", "won by whoever began")
    words = f"The person of the paper is replaced by {', '.join(f'`{each}`' for each in people)}."
    games: list[Part] = [
        Heading("Game logs"),
        Text("The first game of each match, in the paper's format."),
        *listings[:3],
    ]
    return [Heading("Table 1"), table("Table 1: matches of greedy players", head, rows), Text(words), *games]


def _as_first(met: Score) -> Share:
    first, second = met.wins("a"), met.losses("b")
    return Share(first.hits + second.hits, first.tries + second.tries)


def future_work(lab: Lab, net: Net, joint: Path, chosen: Parameters, *, share: float) -> list[Part]:
    """Split actions and the two-headed policy, each trained for the time of the joint ones, against them."""
    split = train(lab, "split actions", net, chosen, share=0.35 * share, form="")
    heads = train(lab, "two masked heads", net, chosen, share=0.35 * share, softmax="head")
    seconds, sims = chosen.match_seconds, max(2, chosen.match_sims // 10)
    games, part = lab.games(5 * chosen.match_games), 0.15 * share
    of_split = lab.match(
        timed(split, seconds), f"joint:{timed(joint, seconds)}", chosen.board, games, share=part, openings="random:1"
    )
    of_heads = lab.match(
        player(heads, sims), player(joint, sims), f"{chosen.board}/joint", games, share=part, openings="random:1"
    )
    rows = [(f"split actions, {seconds:g} s a move each", of_split.points, verdict(of_split), last_loss(split))]
    rows += [(f"two masked heads, {sims} simulations each", of_heads.points, verdict(of_heads), last_loss(heads))]
    head = ("", "points against joint actions (95%)", "", "last loss of the policy")
    words = (
        "The paper proposes to split a placement into the marble and the ring (5), and says that a policy with a head "
        "for captures and one for placements, masked by which is possible, did not learn well. Here both had as much "
        "time to learn as the joint form. The losses are not of the same thing: fewer actions compete in each."
    )
    return [Heading("Its future work, and what it gave up"), Text(words), table("At equal time", head, rows)]


def verdict(met: Score) -> str:
    """Who did better."""
    return "stronger" if met.points.value > 0.5 else "not stronger"


def last_loss(run: Path) -> str:
    """The loss of the policy at the end of a run."""
    losses = [line["losses"]["policy"] for line in read_metrics(run) if line["kind"] == "train"]
    return f"{losses[-1]:.3f}" if losses else NOTHING


def run(lab: Lab, chosen: Parameters) -> list[Part]:
    """Figure 5, table 1, and what the paper left for later."""
    others = 0.35 if chosen.equal_time else 0.0
    curves_share = 0.2 if chosen.curve_layers else 0.0
    parts = figure_5(lab, chosen, share=curves_share) if chosen.curve_layers else []
    left = 1 - others - curves_share
    runs = {net[0]: train(lab, net[0], net, chosen, share=0.75 * left / len(chosen.nets)) for net in chosen.nets}
    parts += table_1(lab, runs, chosen, share=0.25 * left)
    if chosen.equal_time:
        first = chosen.nets[0]
        parts += future_work(lab, first, runs[first[0]], chosen, share=others)
    return parts


NINETEEN: tuple[Net, ...] = (("10 x 16 CNN", 10, 16), ("10 x 32 CNN", 10, 32))
THIRTY_SEVEN: tuple[Net, ...] = (("10 x 64 CNN", 10, 64),)
TINY = Parameters(
    board="zertz:19/deepzertz", nets=(("10 x 16 CNN", 1, 2), ("10 x 32 CNN", 1, 2)), iterations=1, episodes=2,
    sims=2, replay=800, epochs=0.25, batch=8, curve_layers=(1,), curve_filters=(2, 4), curve_iterations=1,
    curve_player="random", curve_every=2,
    curve_games=4, match_games=2, match_sims=2, match_seconds=0.01, person="random", narrow=64,
)  # fmt: skip


def experiment(name: str, summary: str, smaller: str, **scales: Parameters) -> Experiment:
    """One of the two boards."""
    return Experiment(
        name=name, paper=PAPER, summary=summary, scales={**scales}, run=run, takes=("engine",), smaller=smaller,
        choices=(
            "An example is a position in one of eight symmetries (3.2), of which the opponent's view is one that "
            "planes from the mover's side already give: 150,000 examples are 18,750 positions. All symmetries of the "
            "board are used, not only four.",
            "The paper trains for 50 epochs on examples of the replay buffer, without saying on how many: as many "
            "steps as 50 epochs of the new examples have, drawn from the whole buffer.",
            "The loss in 3.3 has the logarithm of the action played; here the policy is the search's. The softmax is "
            "over all S_c + S_p actions, as there. The L2 constant of 0.0002 is a decay of 0.0004.",
            "The first temperature is in proportion to the average length of a game, without its number: the "
            "temperature is 1 at first and falls to 0 over a usual game.",
            "The search begins anew for each action, with all its simulations, where the paper keeps its tree.",
            "The paper's program adds noise with alpha 1 / legal moves; its share is not given: 0.25, AlphaZero's.",
            "Figure 5 gives no numbers. All nets learn from the same games of a rule-based player here, so that "
            "nothing but their shape differs. The dense net's ten layers of 64 are a choice (`nets/papers.py`).",
        ),
    )  # fmt: skip


EXPERIMENTS = (
    experiment(
        "deepzertz-19",
        "Zertz on 19 rings: figure 5, table 1, joint and split actions",
        "fewer iterations, episodes and epochs; four nets in figure 5 besides the dense one.",
        paper=Parameters(board="zertz:19/deepzertz", nets=NINETEEN),
        default=Parameters(
            board="zertz:19/deepzertz", nets=NINETEEN, iterations=8, episodes=120, epochs=6.0, batch=250, narrow=4,
            curve_layers=(5, 10), curve_filters=(16, 32), curve_iterations=4, curve_games=300, curve_every=10,
            match_sims=400,
        ),
        tiny=TINY,
    ),
    experiment(
        "deepzertz-37",
        "Zertz on 37 rings with 10 x 64 (section 4.2)",
        "a smaller net, fewer iterations, episodes and epochs.",
        paper=Parameters(
            board="zertz:37/deepzertz", nets=THIRTY_SEVEN, episodes=500, sims=25, replay=250_000, usual_length=30,
        ),
        default=Parameters(
            board="zertz:37/deepzertz", nets=(("10 x 64 CNN", 5, 24),), iterations=6, episodes=60, sims=25, epochs=3.0,
            replay=250_000, batch=250, narrow=4, usual_length=30, curve_layers=(), match_sims=200,
        ),
        tiny=Parameters(
            board="zertz:37/deepzertz", nets=(("10 x 64 CNN", 1, 2),), iterations=1, episodes=2, sims=2, replay=800,
            epochs=0.25, batch=8, curve_layers=(), match_games=2, match_sims=2, match_seconds=0.01, person="random",
            narrow=64, equal_time=False,
        ),
    ),
)  # fmt: skip
