"""A steward's day: from a file to a release, its report, and next month's file.

    python benchmarks/steward/steward.py DATA --out FOLDER [--rows 12000] [--seconds 60]

Runs six commands, none of which needs an edited file, says what each takes of the
processors, and has the figures of both reports recounted by ``recount.py``, which
imports nothing of ours. The last lines are a table for a page, in Markdown.
"""

import argparse
import re
import resource
import subprocess
import sys
from pathlib import Path

from steward_file import write

HERE = Path(__file__).parent
QI = "AGEP,SEX,MSP,RAC1P,EDU,OWN_RENT,visit,zip"
ASIDE = "NOC,NPF,HOUSING_TYPE,HISP,INDP_CAT,DVET,DPHY"
DROP = "record,phone,remark,PUMA,PINCP,PINCP_DECILE,POVPIP"
CHECK = "OWN_RENT ~ AGEP + EDU + MSP"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="the folder of the real tables")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder")
    parser.add_argument("--rows", type=int, default=12_000)
    parser.add_argument("--seconds", type=int, default=60, help="of a search")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    for month, name in ((5, "may"), (6, "june")):
        source = asked.data / "nist_acs_national2019.csv"
        write(source, asked.out / f"{name}.csv", asked.rows, month, seed=1)
    seconds = str(asked.seconds)
    roles = ["--qi", QI, "--unchanged", ASIDE, "--drop", DROP, "--weight", "PWGTP"]
    commands = [
        ["risk", "may.csv", "--qi", QI, "--weight", "PWGTP", "--report", "risk.html"],
        ["new", "may.csv", *roles, "--k", "5", "--out", "release.toml"],
    ]
    for name in ("may", "june"):
        commands += [
            [
                *("solve", f"{name}.csv", "--recipe", "release.toml"),
                *("--time-limit", seconds, "--check", CHECK),
                *("--out", f"{name}.public.csv", "--report", f"{name}.html"),
                *("--certificate", f"{name}.proof.json"),
                *("--groups", f"{name}.groups.csv"),
            ],
            [
                *("verify", f"{name}.public.csv", "--recipe", "release.toml"),
                *("--original", f"{name}.csv"),
                *("--certificate", f"{name}.proof.json", "--json"),
            ],
        ]
    lines = ["| command | seconds of processors |", "|---|---|"]
    for words in commands:
        told, took = run([sys.executable, "-m", "starmin", *words], asked.out)
        if words[0] == "verify":
            (asked.out / f"{words[1].split('.')[0]}.verified.json").write_text(told)
        lines.append(f"| `{words[0]} {words[1]}` | {took:.1f} |")
    lines += ["", "| report | figures as counted | others | not counted |"]
    lines.append("|---|---|---|---|")
    for name in ("may", "june"):
        files = [f"{name}.csv", f"{name}.public.csv", f"{name}.html"]
        more = ["--qi", QI, "--weight", "PWGTP", "--check", CHECK]
        kept = ["--verified", f"{name}.verified.json", "--groups", f"{name}.groups.csv"]
        recount = str((HERE / "recount.py").resolve())
        told, _ = run([sys.executable, recount, *files, *more, *kept], asked.out)
        counts = re.findall(r"\d+(?= figures| are not|\s+not counted)", told)[:3]
        lines.append(f"| `{name}.html` | {' | '.join(counts)} |")
    print("\n".join(lines))


def run(words: list[str], folder: Path) -> tuple[str, float]:
    """Run a command in the folder, say what it took; a failure ends all.

    Returns what it prints as its answer, and the seconds of all processors.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    print("$", *(word if " " not in word else repr(word) for word in words[1:]))
    sys.stdout.flush()
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{done.stdout}# {took:.1f} s of processors\n", flush=True)
    if done.returncode:
        sys.exit(f"exit code {done.returncode}")
    return done.stdout, took


if __name__ == "__main__":
    main()
