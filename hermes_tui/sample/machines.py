"""Trouble with the machines lamplight runs on: a broker, a Windows PC, a dying memory card."""

from __future__ import annotations

from hermes_tui.sample.house import HOME
from hermes_tui.sample.script import SMALL, Reply, Scene, User, patch, raw_shell, shell, text

RECONNECT = Scene(
    day=84,
    title="MQTT reconnect loop",
    cwd=HOME,
    steps=[
        User("lamplight keeps restarting since the update of the broker. Log is in /var/log/lamplight/error.log"),
        raw_shell(
            "tail -n 40 /var/log/lamplight/error.log",
            """
            Traceback (most recent call last):
              File "/opt/lamplight/lamplight/bridge.py", line 88, in run
                async for message in self.client.messages:
              File "/opt/lamplight/.venv/lib/python3.11/site-packages/mqtt_client/client.py", line 212, in messages
                await self._reader.readexactly(2)
              File "/usr/lib/python3.11/asyncio/streams.py", line 727, in readexactly
                await self._wait_for_data('readexactly')
            ConnectionResetError: [Errno 104] Connection reset by peer

            The above exception was the direct cause of the following exception:

            Traceback (most recent call last):
              File "/opt/lamplight/lamplight/__main__.py", line 31, in <module>
                asyncio.run(main())
              File "/opt/lamplight/lamplight/bridge.py", line 93, in run
                raise BridgeError("broker closed the connection") from error
            lamplight.bridge.BridgeError: broker closed the connection
            """,
        ),
        shell(
            "grep -n 'max_keepalive\\|^listener\\|allow_anonymous' /etc/mosquitto/conf.d/*.conf",
            """
            /etc/mosquitto/conf.d/local.conf:1:listener 1883
            /etc/mosquitto/conf.d/local.conf:2:allow_anonymous false
            /etc/mosquitto/conf.d/local.conf:5:max_keepalive 30
            """,
            saying="The broker hangs up on us; looking at what it allows.",
        ),
        Reply(
            text(
                """
                The update brought `max_keepalive 30`, and lamplight asks for 60 seconds: the broker refuses that and
                resets the connection (`ConnectionResetError`), lamplight gives up, systemd starts it again.

                ```toml
                # /etc/lamplight.toml
                [mqtt]
                keepalive = 20   # was 60
                ```

                I would also let the bridge retry with a growing pause in place of ending the process.
                """
            ),
            thinking="Connection reset right after CONNECT is typical for a refused keepalive in MQTT 3.1.1.",
        ),
        User("Do both please."),
        patch(
            "lamplight/bridge.py",
            """
            @@ -84,12 +84,18 @@ class Bridge:
                 async def run(self) -> None:
            -        try:
            -            async for message in self.client.messages:
            -                await self.dispatch(message)
            -        except ConnectionError as error:
            -            raise BridgeError("broker closed the connection") from error
            +        for pause in backoff(first=1, most=60):
            +            try:
            +                async for message in self.client.messages:
            +                    await self.dispatch(message)
            +            except ConnectionError as error:
            +                log.warning("broker closed the connection (%s), trying again in %d s", error, pause)
            +                await asyncio.sleep(pause)
            """,
        ),
        Reply("Both done and deployed. It has been connected for ten minutes without a restart."),
    ],
)


TRAY_APP = Scene(
    day=70,
    title="Package the tray app for Windows",
    cwd="/home/robin/src/lamplight-tray",
    git_branch="onefile",
    flags=frozenset({"pinned"}),
    steps=[
        User(
            "The tray app should be one .exe for my parents' PC. `pyinstaller --onefile tray.py` builds, but on their"
            " machine it dies with ModuleNotFoundError: No module named 'lamplight.icons'. The project is in"
            " C:\\Users\\Robin\\src\\lamplight-tray there."
        ),
        raw_shell(
            "pyinstaller --onefile --noconsole --name lamplight-tray tray.py",
            """
            \x1b[34m112 INFO\x1b[0m: PyInstaller: 6.10.0, contrib hooks: 2024.8
            \x1b[34m118 INFO\x1b[0m: Python: 3.11.9 (tags/v3.11.9)
            \x1b[34m131 INFO\x1b[0m: Platform: Windows-10-10.0.19045-SP0
            \x1b[34m4207 INFO\x1b[0m: Analyzing hidden import 'encodings.idna'
            \x1b[33m6190 WARNING\x1b[0m: Hidden import "lamplight.icons" not found!
            \x1b[34m9921 INFO\x1b[0m: Building EXE from EXE-00.toc completed successfully.
             100%|██████████████████████████████| 412/412\r\n
            """,
            thinking="The icons are imported by name with importlib, so the analysis cannot see them.",
        ),
        Reply(
            text(
                r"""
                The icons module is loaded by name (`importlib.import_module(f"lamplight.{theme}")`), so PyInstaller
                does not see it. Name it, and add the picture files, which are not code:

                ```bat
                pyinstaller --onefile --noconsole ^
                    --hidden-import lamplight.icons ^
                    --add-data "C:\Users\Robin\src\lamplight-tray\icons;lamplight\icons" ^
                    tray.py
                ```

                The result is `C:\Users\Robin\src\lamplight-tray\dist\tray.exe`. In the code, look for the pictures
                beside `sys._MEIPASS` when that is there: a one-file program unpacks itself into `%TEMP%\_MEI…` first.
                """
            )
        ),
        User("Works here! They get it from \\\\nas\\public\\tools, is that a problem?"),
        Reply(
            text(
                r"""
                Starting it straight from the share works, but slowly: every start unpacks 14 MB over the network. Copy
                it to `%LOCALAPPDATA%\Programs\lamplight` and put the shortcut there. Windows may warn once, because a
                file from `\\nas\public\tools` carries the mark of the web and the program is not signed.
                """
            )
        ),
        User("And smaller?"),
        Reply(
            "`--onefile` with `--exclude-module tkinter --exclude-module unittest` saves 4 MB. `--onedir` starts"
            " faster still, but then it is a folder. UPX often trips virus scanners; I would leave it off."
        ),
    ],
)


NEW_CARD = Scene(
    day=12,
    title="Move lamplight to a new SD card",
    cwd=HOME,
    model=SMALL,
    steps=[
        User(
            "The SD card in the attic throws I/O errors. I have a new one in the reader at /dev/sdb. Copy everything"
            " over?"
        ),
        shell(
            "ssh attic.lan 'dmesg --level=err | tail -4'",
            """
            [812034.118] mmcblk0: error -110 sending status command, retrying
            [812034.331] blk_update_request: I/O error, dev mmcblk0, sector 4145216 op 0x0:(READ)
            [812034.332] Buffer I/O error on dev mmcblk0p2, logical block 449888, async page read
            [812036.020] EXT4-fs warning (device mmcblk0p2): ext4_end_bio:343: I/O error 10
            """,
        ),
        Reply(
            text(
                """
                The old card is dying: read it once, carefully, and keep a list of what could not be read.

                ```sh
                sudo rsync -aAXHv --numeric-ids --info=progress2 \\
                    --exclude={"/proc/*","/sys/*","/dev/*","/run/*","/tmp/*"} \\
                    attic.lan:/ /mnt/newcard/ 2> ~/card-errors.txt
                ```

                `/dev/sdb` will be formatted. Shall I?
                """
            )
        ),
        User("Yes, sdb is the new one, 64 GB, empty."),
        shell(
            "lsblk -o NAME,SIZE,MODEL /dev/sdb && sudo mkfs.ext4 -L attic /dev/sdb2 && sudo ~/bin/copy-card",
            """
            NAME   SIZE MODEL
            sdb   59.6G Card Reader
            ├─sdb1 512M
            └─sdb2 59.1G
            sent 4,118 bytes  received 3,391,229,844 bytes  8,917,120.31 bytes/sec
            rsync error: some files/attrs were not transferred (code 23)
            """,
            code=23,
        ),
        shell("cat ~/card-errors.txt", 'rsync: read errors mapping "/var/log/syslog.3.gz": Input/output error (5)'),
        Reply(
            "Only one old log could not be read (`/var/log/syslog.3.gz`). Everything else is on the new card; swap it"
            " in."
        ),
        User("Swapped. It's alive!"),
        Reply("Good. I'd order another card and keep it as a spare; this one lasted four months."),
    ],
)


SCENES = [RECONNECT, TRAY_APP, NEW_CARD]
