"""Lamplight: lights, heating and sensors in a house, run by a small computer in the attic."""

from __future__ import annotations

from hermes_tui.sample.script import (
    SMALL,
    Call,
    Reply,
    Rewind,
    Scene,
    User,
    patch,
    raw_shell,
    read,
    shell,
    text,
)

HOME = "/home/robin/src/lamplight"

SETUP = Scene(
    day=118,
    title="Set up lamplight on the attic Pi",
    cwd=HOME,
    git_branch="main",
    steps=[
        User("The new Pi in the attic is up (attic.lan). Please get lamplight running there as a service."),
        shell(
            "ssh attic.lan 'uname -a && python3 --version && df -h /'",
            """
            Linux attic 6.6.31+rpt-rpi-v8 #1 SMP PREEMPT aarch64 GNU/Linux
            Python 3.11.2
            Filesystem      Size  Used Avail Use% Mounted on
            /dev/mmcblk0p2   29G  3.4G   24G  13% /
            """,
            saying="Checking what is on it first.",
        ),
        Call(
            "write_file",
            {
                "path": "/etc/systemd/system/lamplight.service",
                "content": text(
                    """
                    [Unit]
                    Description=Lamplight home automation
                    After=network-online.target mosquitto.service
                    Wants=network-online.target

                    [Service]
                    User=lamplight
                    WorkingDirectory=/opt/lamplight
                    ExecStart=/opt/lamplight/.venv/bin/python -m lamplight --config /etc/lamplight.toml
                    Restart=on-failure
                    RestartSec=5

                    [Install]
                    WantedBy=multi-user.target
                    """
                ),
            },
            {"success": True, "path": "/etc/systemd/system/lamplight.service", "bytes_written": 391},
        ),
        raw_shell(
            "ssh attic.lan 'sudo systemctl enable --now lamplight && systemctl status lamplight --no-pager'",
            """
            \x1b[0;1;32m●\x1b[0m lamplight.service - Lamplight home automation
                 Loaded: loaded (/etc/systemd/system/lamplight.service; \x1b[0;1;32menabled\x1b[0m; preset: enabled)
                 Active: \x1b[0;1;32mactive (running)\x1b[0m since Tue 09:14:22 CEST; 2s ago
               Main PID: 1187 (python)
                  Tasks: 3 (limit: 3915)
                    CPU: 1.204s
            lamplight[1187]: INFO  bridge   connected to mqtt://attic.lan:1883
            lamplight[1187]: INFO  devices  14 lights, 9 sensors, 6 valves
            """,
        ),
        Reply(
            text(
                """
                Lamplight runs as a service on `attic.lan` now:

                - unit: `/etc/systemd/system/lamplight.service`, starts at boot, restarts after a failure
                - user `lamplight`, code in `/opt/lamplight`, settings in `/etc/lamplight.toml`
                - it found 14 lights, 9 sensors and 6 valves

                I did not touch the firewall. `journalctl -u lamplight -f` shows what it does.
                """
            ),
            thinking="The unit has After=mosquitto, and the broker is on the same host, so the order at boot is right.",
        ),
        User("Lovely. How do I see yesterday's messages only?"),
        Reply("`journalctl -u lamplight --since yesterday --until today`. Add `-p warning` to leave out the chatter."),
    ],
)

SENSOR = Scene(
    day=111,
    title="Motion sensor drops off at night",
    cwd=HOME,
    steps=[
        User("The motion sensor in the stairwell goes offline every night around three. Any idea?"),
        raw_shell(
            "ssh attic.lan 'journalctl -u zigbee2mqtt --since 02:30 --until 03:40 --no-pager'",
            "\n".join(
                f"02:{30 + n // 12:02d}:{n % 12 * 5:02d} \x1b[32minfo\x1b[39m  z2m:mqtt publish 'zigbee/stairwell',"
                f' payload \'{{"battery":{61 - n // 180},"linkquality":{88 - n // 5},"occupancy":false}}\''
                for n in range(360)
            )
            + "\n03:04:11 \x1b[33mwarn\x1b[39m  z2m: Device 'stairwell' left the network"
            + "\n03:04:12 \x1b[31merror\x1b[39m z2m: Failed to ping 'stairwell' (attempt 1/2, timeout 10000 ms)",
            saying="Reading the bridge's log around that time.",
        ),
        Reply(
            text(
                """
                The link quality falls from 88 to 17 between 02:30 and 03:00, then the sensor leaves the network at
                03:04. The battery is fine (61 to 60 %). Something at that hour gets between the sensor and its router:
                what starts at half past two?
                """
            )
        ),
        User("Oh! The access point scans for a free channel at 02:30."),
        Reply(
            text(
                """
                That is it. Wi-Fi channel 11 lies on top of Zigbee channel 22. Two ways out:

                1. Pin the access point to channel 1 and switch its scan off. Nothing has to be paired again.
                2. Move Zigbee to channel 25. All 29 devices have to follow, and some bulbs need a push.

                I would do the first.
                """
            )
        ),
        User("First it is. Done in the router page. I'll watch it tonight."),
        Reply("Good. If the link quality stays above 80 until the morning, we can close this."),
    ],
)

DIMMING = Scene(
    day=96,
    title="Dim the hallway after sunset",
    cwd=HOME,
    git_branch="hallway",
    steps=[
        User(
            "After sunset the hallway should come on at 20 % when someone walks by, and full when I press the switch."
        ),
        read(
            f"{HOME}/lamplight/rules/hallway.py",
            '''
            """Rules for the hallway."""

            from lamplight.rules import on, light


            @on("sensor/hallway", occupancy=True)
            async def someone(event):
                await light("hallway").set(level=100)
            ''',
        ),
        patch(
            "lamplight/rules/hallway.py",
            """
            @@ -1,8 +1,17 @@
             \"\"\"Rules for the hallway.\"\"\"

            +from lamplight.sky import dark
             from lamplight.rules import on, light
            +
            +NIGHT_LEVEL = 20


             @on("sensor/hallway", occupancy=True)
             async def someone(event):
            -    await light("hallway").set(level=100)
            +    if light("hallway").held:
            +        return
            +    await light("hallway").set(level=NIGHT_LEVEL if dark(event.time) else 0)
            +
            +
            +@on("switch/hallway", action="press")
            +async def pressed(event):
            +    await light("hallway").hold(level=100, minutes=30)
            """,
            thinking="A press has to win over the sensor for a while, or the next motion event dims it again at once.",
        ),
        shell(
            "python -m pytest tests/rules/test_hallway.py -q",
            """
            .....F                                                                   [100%]
            =================================== FAILURES ===================================
            ____________________________ test_daylight_stays_off ___________________________
            E       AssertionError: expected no command, got set(level=0)
            tests/rules/test_hallway.py:41: AssertionError
            1 failed, 5 passed in 0.48s
            """,
            code=1,
        ),
        patch(
            "lamplight/rules/hallway.py",
            """
            @@ -11,4 +11,5 @@
                 if light("hallway").held:
                     return
            -    await light("hallway").set(level=NIGHT_LEVEL if dark(event.time) else 0)
            +    if dark(event.time):
            +        await light("hallway").set(level=NIGHT_LEVEL)
            """,
            saying="By day it must send nothing at all, not a zero.",
        ),
        shell("python -m pytest tests/rules/test_hallway.py -q", "......                                    [100%]"),
        Reply(
            "Done: 20 % after sunset, a press holds full light for half an hour, nothing happens by day. Six tests"
            " pass."
        ),
    ],
)


HEATING = Scene(
    day=41,
    title="Heating schedule ignores holidays",
    cwd=HOME,
    steps=[
        User("Heating ran at office times on the public holiday. It should treat holidays like a Sunday."),
        read(
            f"{HOME}/lamplight/heating/schedule.py",
            """
            def plan_for(day: date) -> Plan:
                return PLANS["weekend" if day.weekday() >= 5 else "workday"]
            """,
        ),
        User("Rewrite the whole scheduler around cron expressions while you are there."),
        Call("search_files", {"pattern": "plan_for", "path": HOME}, {"matches": 23, "files": 9}),
        Reply(
            "That touches 9 files and 23 calls. I would start with a new module `heating/cron.py` and move rooms over."
        ),
        Rewind(),
        User("Just the holidays, nothing else, please."),
        patch(
            "lamplight/heating/schedule.py",
            """
            @@ -1,2 +1,5 @@
            +from lamplight.calendar import is_holiday
            +
             def plan_for(day: date) -> Plan:
            -    return PLANS["weekend" if day.weekday() >= 5 else "workday"]
            +    resting = day.weekday() >= 5 or is_holiday(day, region="BY")
            +    return PLANS["weekend" if resting else "workday"]
            """,
        ),
        shell("python -m pytest tests/heating -q", "..................                               [100%]"),
        Reply(
            "Holidays (for the region in the settings, BY) use the weekend plan now. Nothing else changed; 18 tests"
            " pass."
        ),
    ],
)


RULES = Scene(
    day=117,
    title="House rules for the agent",
    cwd=HOME,
    model=SMALL,
    flags=frozenset({"hidden"}),
    steps=[
        User("Remember: never switch off the freezer plug, and no heating changes after ten at night."),
        Call(
            "memory",
            {"action": "add", "content": "Never switch off plug/freezer. No heating changes after 22:00."},
            {"success": True, "entries": 3},
        ),
        Reply("Noted both."),
    ],
)

SCENES = [SETUP, RULES, SENSOR, DIMMING, HEATING]
