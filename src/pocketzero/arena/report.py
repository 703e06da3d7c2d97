"""What people read of a match or a tournament: a short text, Markdown, or a page of HTML with plots."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

from pocketzero import __version__
from pocketzero.arena import plots
from pocketzero.arena.match import MatchResult
from pocketzero.arena.tournament import Tournament
from pocketzero.errors import PocketZeroError


def match_text(result: MatchResult) -> str:
    """A match in a few lines."""
    plan = result.plan
    lines = [
        f"{plan.a} against {plan.b}, {plan.game.name}, {len(result.games)} games, openings {plan.openings}",
        f"{plan.a}: {result.wins_a} won, {result.draws} drawn, {result.wins_b} lost: {result.estimate}",
    ]
    sides = [("first", result.score_when("a")), ("second", result.score_when("b"))]
    lines.append("as " + ", as ".join(f"{side} {share:.1%}" for side, share in sides if share is not None))
    lines += [f"{count} x {reason}" for reason, count in result.forfeits.items()]
    if plan.sprt:
        chosen = {"elo1": plan.sprt.elo1, "elo0": plan.sprt.elo0}.get(result.decided)
        verdict = "no decision" if chosen is None else f"decided for {chosen:+g} Elo"
        lines.append(f"SPRT {plan.sprt.elo0:+g} against {plan.sprt.elo1:+g}: {verdict}")
    return "\n".join(lines)


def cross_table(tournament: Tournament) -> list[list[float | None]]:
    """The share of the points of each player against each other, in the order of the ratings."""
    names = [row.player for row in tournament.ratings.ratings]
    cells: list[list[float | None]] = [[None] * len(names) for _ in names]
    for match in tournament.matches:
        a, b = names.index(match.plan.a), names.index(match.plan.b)
        share = match.estimate.score
        cells[a][b], cells[b][a] = share, 1 - share
    return cells


def side_shares(tournament: Tournament) -> list[tuple[str, float, float]]:
    """Each player's share of the points as first and as second player."""
    found = []
    for row in tournament.ratings.ratings:
        shares = []
        for begins in (True, False):
            points = [
                game.points_a if match.plan.a == row.player else 1 - game.points_a
                for match in tournament.matches
                for game in match.games
                if row.player in (match.plan.a, match.plan.b)
                and ((game.first == "a") == (match.plan.a == row.player)) == begins
            ]
            shares.append(sum(points) / len(points) if points else 0.5)
        found.append((row.player, shares[0], shares[1]))
    return found


def lengths(tournament: Tournament) -> list[int]:
    """The lengths of all games."""
    return [game.length for match in tournament.matches for game in match.games]


def tournament_json(tournament: Tournament) -> dict[str, object]:
    """One object for machines."""
    ratings = tournament.ratings
    return {
        "ratings": [vars(row) for row in ratings.ratings],
        "first_advantage": ratings.first_advantage,
        "first_advantage_plus": ratings.first_advantage_plus,
        "draw_share": ratings.draw_share,
        "matches": [match.as_json() for match in tournament.matches],
    }


def tournament_markdown(tournament: Tournament) -> str:
    """Ratings and cross-table, for a terminal or a page."""
    ratings = tournament.ratings
    plan = tournament.matches[0].plan
    lines = [
        f"# {plan.game.title}: {len(tournament.players)} players, {len(lengths(tournament))} games",
        "",
        f"Openings {plan.openings}, each played from both sides; seed {plan.seed}; PocketZero {__version__}.",
        f"Moving first is worth {ratings.first_advantage:+.0f} ± {ratings.first_advantage_plus:.0f} Elo; "
        f"equal players draw {ratings.draw_share:.1%} of their games.",
        "",
        "| | player | Elo | ± | games | score | "
        + " | ".join(str(n + 1) for n in range(len(tournament.players)))
        + " |",
        "|---|---|---|---|---|---|" + "---|" * len(tournament.players),
    ]
    for number, (row, cells) in enumerate(zip(ratings.ratings, cross_table(tournament)), 1):
        shares = " | ".join("" if share is None else f"{share:.1%}" for share in cells)
        plus = f"{row.plus:.0f}" if row.plus else "anchor"
        lines.append(
            f"| {number} | `{row.player}` | {row.elo:.0f} | {plus} | {row.games} | {row.score:.1%} | {shares} |"
        )
    lines += ["", "| player | as first | as second |", "|---|---|---|"]
    lines += [f"| `{name}` | {first:.1%} | {second:.1%} |" for name, first, second in side_shares(tournament)]
    return "\n".join(lines) + "\n"


def tournament_plots(tournament: Tournament) -> dict[str, str]:
    """The plots of a report, by name."""
    rows = [(row.player, row.elo, row.plus) for row in tournament.ratings.ratings]
    names = [row.player for row in tournament.ratings.ratings]
    return {
        "cross-table": plots.heat_map("Score of the row's player", names, cross_table(tournament)),
        "elo": plots.intervals("Elo with 95% intervals", rows),
        "sides": plots.bars("Score as first and as second player", side_shares(tournament), ("as first", "as second")),
        "lengths": plots.histogram("Length of the games, in actions", lengths(tournament)),
    }


TITLES = {
    "cross-table": "Who beats whom",
    "elo": "Elo",
    "sides": "As first and as second player",
    "lengths": "Length of the games, in actions",
}
PAGE_STYLE = (
    "body{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}"
    "table{border-collapse:collapse}td,th{padding:.2rem .6rem;border-bottom:1px solid #8888;text-align:right}"
    "td:nth-child(2){text-align:left}"
)


def tournament_html(tournament: Tournament) -> str:
    """A page that needs nothing else."""
    plan = tournament.matches[0].plan
    rows = "".join(
        f"<tr><td>{number}</td><td><code>{escape(row.player)}</code></td><td>{row.elo:.0f}</td>"
        f"<td>{f'± {row.plus:.0f}' if row.plus else 'anchor'}</td><td>{row.games}</td><td>{row.score:.1%}</td></tr>"
        for number, row in enumerate(tournament.ratings.ratings, 1)
    )
    drawn = "".join(f"<h2>{TITLES[name]}</h2>{plot}" for name, plot in tournament_plots(tournament).items())
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{escape(plan.game.title)}</title>"
        f"<style>{PAGE_STYLE}</style><h1>{escape(plan.game.title)}</h1>"
        f"<p>{len(lengths(tournament))} games, openings {escape(plan.openings)} from both sides, seed {plan.seed}, "
        f"PocketZero {__version__}.</p>"
        f"<table><tr><th></th><th>player</th><th>Elo</th><th></th><th>games</th><th>score</th></tr>{rows}</table>{drawn}"
    )


def write_report(tournament: Tournament, folder: Path) -> None:
    """The report as report.md, report.html, report.json and one SVG for each plot."""
    drawn = tournament_plots(tournament)
    pictures = "".join(f"\n## {TITLES[name]}\n\n![{TITLES[name]}]({name}.svg)\n" for name in drawn)
    files = {
        "report.md": tournament_markdown(tournament) + pictures,
        "report.html": tournament_html(tournament),
        "report.json": json.dumps(tournament_json(tournament), indent=1) + "\n",
        **{f"{name}.svg": plot for name, plot in drawn.items()},
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise PocketZeroError(f"The report cannot be written to {folder}: {error.strerror}.") from None
