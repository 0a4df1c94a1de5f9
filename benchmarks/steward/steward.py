"""A steward's day: from a file to a release, its report, and next month's file.

    python benchmarks/steward/steward.py DATA --out FOLDER [--rows 12000] [--seconds 60]

Runs four commands, none of which needs an edited file, says what each takes, and has
figures of both reports recounted by ``recount.py``, which imports nothing of ours.
"""

import argparse
import resource
import subprocess
import sys
import time
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
        *(
            [
                *("solve", f"{name}.csv", "--recipe", "release.toml"),
                *("--time-limit", seconds, "--check", CHECK),
                *("--out", f"{name}.public.csv", "--report", f"{name}.html"),
            ]
            for name in ("may", "june")
        ),
    ]
    for words in commands:
        run([sys.executable, "-m", "starmin", *words], asked.out)
    recount = str((HERE / "recount.py").resolve())
    for name in ("may", "june"):
        files = [f"{name}.csv", f"{name}.public.csv", f"{name}.html"]
        run(
            [sys.executable, recount, *files, "--qi", QI, "--weight", "PWGTP"],
            asked.out,
        )


def run(words: list[str], folder: Path) -> None:
    """Run a command in the folder, and say what it took; a failure ends all."""
    started = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    print("$", " ".join(words[1:]), flush=True)
    subprocess.run(words, cwd=folder, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"# {time.perf_counter() - started:.1f} s, {took:.1f} s of processors\n")


if __name__ == "__main__":
    main()
