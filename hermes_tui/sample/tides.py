"""Tides: a pipeline that reads the files of tide gauges and tries to foretell high water."""

from __future__ import annotations

from hermes_tui.sample.script import (
    SMALL,
    Call,
    Delegate,
    Reply,
    Scene,
    User,
    patch,
    raw_shell,
    read,
    shell,
    text,
)

TIDES = "/home/robin/src/tides"

READ_CSV = Scene(
    day=107,
    title="Read the harbour CSV without loading it all",
    cwd=TIDES,
    git_branch="main",
    steps=[
        User("readings.csv has 9 GB and pandas.read_csv eats all my memory. I only need means per hour."),
        shell(
            "head -3 /data/tides/readings.csv && wc -l < /data/tides/readings.csv",
            """
            station,time,level_cm,quality
            PE04,1987-01-01T00:10:00+01:00,412.7,1
            PE04,1987-01-01T00:20:00+01:00,411.9,1
            188203941
            """,
        ),
        Reply(
            text(
                """
                Read it in batches and keep only the sums:

                ```python
                import pyarrow.csv as csv
                import pyarrow.compute as pc

                reader = csv.open_csv("/data/tides/readings.csv", read_options=csv.ReadOptions(block_size=64 << 20))
                parts = []
                for batch in reader:
                    hours = pc.floor_temporal(batch["time"], unit="hour")
                    table = pa.table({"station": batch["station"], "hour": hours, "level": batch["level_cm"]})
                    parts.append(table.group_by(["station", "hour"]).aggregate([("level", "sum"), ("level", "count")]))
                total = pa.concat_tables(parts).group_by(["station", "hour"]).aggregate(
                    [("level_sum", "sum"), ("level_count", "sum")]
                )
                ```

                An hour can lie in two batches, which is why sums and counts are kept, not means. It needs about 400 MB.
                """
            ),
            thinking="Means of means would be wrong at the seams of the batches.",
        ),
        User("Took 6 minutes, 380 MB. Thanks!"),
        Reply("Good. If you do it often, write it as Parquet once; then it is seconds."),
    ],
)

PARQUET = Scene(
    day=92,
    title="Parquet partitions by month",
    cwd=TIDES,
    git_branch="parquet",
    steps=[
        User("Now write /data/tides as Parquet, one folder a station, one file a month."),
        patch(
            "tides/store.py",
            """
            +def write(table: pa.Table, root: Path) -> None:
            +    pq.write_to_dataset(
            +        table.append_column("month", pc.strftime(table["time"], format="%Y-%m")),
            +        root_path=root,
            +        partition_cols=["station", "month"],
            +        existing_data_behavior="delete_matching",
            +        compression="zstd",
            +    )
            """,
        ),
        shell(
            "python -m tides.store && du -sh /data/tides/parquet && find /data/tides/parquet -name '*.parquet' | wc -l",
            """
            1.3G    /data/tides/parquet
            58212
            """,
        ),
        Reply(
            "9 GB of text became 1.3 GB. But 58,212 files are many: a month of one station is only 22 kB. One file a"
            " year would be 4,851 files of 270 kB, and reading all of a station is ten times faster."
        ),
        User("A year then."),
        shell("python -m tides.store --by year", "4851 files, 1.1 GB, 2 min 41 s"),
        Reply(
            "Done, `station=PE04/year=1987/`. I removed the monthly folders after comparing the row counts"
            " (188,203,940 each)."
        ),
    ],
)

ZONES = Scene(
    day=76,
    title="Time zones in the tide files",
    cwd=TIDES,
    steps=[
        User("Import of the 1996 files fails."),
        raw_shell(
            "python -m tides.load /data/tides/raw/1996/*.dat",
            """
            Traceback (most recent call last):
              File "/usr/lib/python3.11/zoneinfo/_common.py", line 12, in load_tzdata
                return resources.files(package_name).joinpath(resource_name).open("rb")
            FileNotFoundError: [Errno 2] No such file or directory: '.../tzdata/zoneinfo/MEZ'

            During handling of the above exception, another exception occurred:

            Traceback (most recent call last):
              File "/home/robin/src/tides/tides/load.py", line 57, in parse_header
                zone = ZoneInfo(header["zone"])
            zoneinfo._common.ZoneInfoNotFoundError: 'No time zone found with key MEZ'
            """,
        ),
        Reply(
            text(
                """
                The files of 1996 name their zone `MEZ`, the German word for Central European Time, all year round: no
                summer time. So it is a fixed offset and not `Europe/Berlin`:

                ```python
                FIXED = {"MEZ": timezone(timedelta(hours=1)), "GMT": timezone.utc}
                zone = FIXED.get(name) or ZoneInfo(name)
                ```
                """
            ),
            thinking="If it were Europe/Berlin, the readings from April to October would all be an hour off.",
        ),
        User("How can you be sure there is no summer time in them?"),
        shell(
            "python -m tides.gaps /data/tides/raw/1996/PE04.dat --around 1996-03-31",
            "no gap at 02:00, no doubled hour on 1996-10-27",
        ),
        Reply(
            "With summer time there would be a gap of an hour on 31 March and a doubled hour on 27 October. There is"
            " neither."
        ),
    ],
)

LATE_IMPORT = Scene(
    day=28,
    title="Why is the nightly import late?",
    cwd=TIDES,
    model=SMALL,
    steps=[
        User("The import used to be done by 3:30, since last week it is 5 or later."),
        raw_shell(
            "journalctl -u tides-import -o short-iso --since -9d | grep finished",
            "\n".join(
                f"2026-10-{24 + n}T{hour}:{minute:02d}:07 attic tides-import[{901 + 77 * n}]: finished in {seconds} s"
                for n, hour, minute, seconds in (
                    (0, "03", 24, 1440),
                    (1, "03", 26, 1560),
                    (2, "03", 25, 1503),
                    (3, "04", 58, 7084),
                    (4, "05", 7, 7627),
                    (5, "05", 12, 7919),
                    (6, "05", 10, 7804),
                    (7, "05", 16, 8162),
                )
            ),
        ),
        shell(
            "git log --oneline --since=10.days -- tides/",
            """
            c1d90aa Check every file against its hash before reading
            """,
        ),
        read(
            f"{TIDES}/tides/check.py",
            """
            def digest(path: Path) -> str:
                return hashlib.sha256(path.read_bytes()).hexdigest()

            def changed(path: Path) -> bool:
                return digest(path) != known()[str(path)]   # known() reads hashes.json each time
            """,
        ),
        Reply(
            "`known()` parses `hashes.json` (31 MB) again for every one of the 4,851 files. Cached, the check takes"
            " 40 s in place of 90 minutes. `@functools.cache` on `known` is all it needs."
        ),
        User("Ouch, that was me. Fixed."),
        Reply("Tonight it should be done before half past three again."),
    ],
)

PREDICT = Scene(
    day=5,
    title="Foretell high water with a harmonic fit",
    cwd=TIDES,
    git_branch="predict",
    steps=[
        User("I'd like to foretell tides at station PE04 from the last 19 years. Is a plain least-squares fit enough?"),
        Delegate(
            "Find out which tidal constituents matter most on a North Sea coast and their periods in hours.",
            [
                Call(
                    "web_search",
                    {"query": "tidal constituents North Sea M2 S2 N2 periods hours amplitude"},
                    {
                        "results": [
                            {"title": "Harmonic constituents", "snippet": "M2 12.4206 h, S2 12.0000 h, N2 12.6583 h"}
                        ]
                    },
                ),
                Reply(
                    "By size on a North Sea coast: M2 (12.4206 h), S2 (12 h), N2 (12.6583 h), K1 (23.9345 h), O1"
                    " (25.8193 h), and M4 (6.2103 h) in shallow water. 19 years cover the nodal cycle of 18.6 years."
                ),
            ],
        ),
        Reply(
            text(
                """
                Yes. With fixed periods the fit is linear:

                $$h(t) = h_0 + \\sum_k a_k \\cos \\omega_k t + b_k \\sin \\omega_k t$$

                ```python
                PERIODS = {"M2": 12.4206, "S2": 12.0, "N2": 12.6583, "K1": 23.9345, "O1": 25.8193, "M4": 6.2103}

                def design(hours: np.ndarray) -> np.ndarray:
                    omega = 2 * np.pi / np.array(list(PERIODS.values()))
                    phase = np.outer(hours, omega)
                    return np.hstack([np.ones((len(hours), 1)), np.cos(phase), np.sin(phase)])

                coefficients, *_ = np.linalg.lstsq(design(hours), levels, rcond=None)
                ```
                """
            ),
            thinking="13 unknowns against 166,000 hourly values; conditioning is fine as all periods differ by"
            " more than one cycle in 19 years.",
        ),
        User("Try it, leave out the last year and compare."),
        shell(
            "python -m tides.predict PE04 --train 2006:2024 --test 2025",
            """
            constituent  amplitude_cm  phase_deg
            M2                  131.4      212.7
            S2                   33.9      279.1
            N2                   21.8      190.5
            M4                   11.2       88.0
            rms error 2025: 14.6 cm (high water: 9 min, 11.8 cm)
            """,
        ),
        Reply(
            "On average 9 minutes and 12 cm off at high water. What is left is weather: the worst days are the storms"
            " of January."
        ),
        User("Good enough for the harbour café's blackboard. 😄"),
    ],
)

RUNNING = Scene(
    day=0.019,
    cwd=TIDES,
    git_branch="predict",
    end=None,
    steps=[
        User("The plot of the residuals shows a bump every 24 hours at PE04. Artefact or real?"),
        read(
            f"{TIDES}/tides/residuals.py",
            """
            def residuals(station: str, year: int) -> pd.Series:
                measured = load(station, year)["level_cm"]
                return measured - predict(station, measured.index.tz_localize(None))
            """,
            saying="Looking at how they are computed.",
        ),
        Reply(
            "`tz_localize(None)` throws the zone away, so in summer the prediction is an hour early: that alone gives"
            " a wave of 24 hours. Use `tz_convert('UTC')`.",
            thinking="A daily bump could also be sea breeze, but that would not stop at the end of October.",
        ),
        User("Makes sense. Please fix it and plot July again, before and after in one picture."),
    ],
)

SCENES = [READ_CSV, PARQUET, ZONES, LATE_IMPORT, PREDICT, RUNNING]
