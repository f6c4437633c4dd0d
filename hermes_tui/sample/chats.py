"""Short talks on the phone and in a chat room, in the languages of Robin's friends, family and customers."""

from __future__ import annotations

from hermes_tui.sample.script import SMALL, Call, Delegate, Reply, Reset, Scene, Step, User, shell, text

PHONE = "telegram:dm:204"
LAB = "discord:group:71"


def _phone(day: float, title: str | None, *steps: Step, chat: str = PHONE, name: str | None = None) -> Scene:
    return Scene(
        day=day, title=title, steps=steps, source="telegram", model=SMALL, chat=chat, name=name, end=None,
    )  # fmt: skip


def _room(day: float, title: str | None, *steps: Step) -> Scene:
    return Scene(
        day=day, title=title, steps=steps, source="discord", model=SMALL, chat=LAB, name="#home-lab", end="idle",
    )  # fmt: skip


CHINESE = _phone(
    104,
    "客厅灯光和打包程序",
    User("晚上七点以后把客厅的灯调成暖色，可以吗？"),
    Call(
        "terminal",
        {"command": "lamplight rule add 客厅 --after 19:00 --kelvin 2700"},
        {"output": "规则已添加：客厅 19:00 之后 2700K", "exit_code": 0, "error": None},
    ),
    Reply("已经设置好了：每天 19:00 以后，客厅的灯会变成 2700K 的暖色光。"),
    User("谢谢！另外，那个打包程序在我爸爸的电脑上打不开，提示缺少模块。"),
    Reply(
        text(
            """
            这是打包程序常见的问题：动态导入的模块没有被一起打包。请用下面的命令重新打包：

            ```
            pyinstaller --onefile --hidden-import lamplight.icons tray.py
            ```

            然后把 `dist` 文件夹里的新程序发给他就可以了。
            """
        )
    ),
    User("好了，修改youer服务端的地址在哪里？"),
    Reply("在设置文件 `/etc/lamplight.toml` 的 `[server]` 一节里，修改 `address` 这一行，然后重启服务。"),
)

JAPANESE = _phone(
    99,
    "お茶の在庫の通知",
    User("抹茶の在庫が二十個より少なくなったら教えてください。"),
    Call(
        "terminal",
        {"command": "bin/stock watch matcha --below 20"},
        {"output": "監視を開始しました: 抹茶 < 20", "exit_code": 0, "error": None},
    ),
    Reply("承知しました。抹茶の在庫が二十個を下回ったら、このチャットでお知らせします。今は四十三個あります。"),
    User("ありがとう。京都の茶園への注文書も日本語で書けますか？"),
    Reply(
        "はい。「いつもお世話になっております。抹茶（百グラム缶）を六十個、注文させていただきます。納期をお知らせいただけますと幸いです。」でいかがでしょうか。"
    ),
)

SPANISH = _phone(
    90,
    "Pedido a la plantación",
    User("¿Puedes escribir a la cooperativa que el té llegó, pero faltan dos cajas?"),
    Reply(
        "«Buenos días: el envío de té verde llegó ayer en buen estado, muchas gracias. Sin embargo, faltan dos de las"
        " doce cajas. ¿Podrían comprobar si salieron del almacén? Un cordial saludo.»"
    ),
    User("Perfecto. Mañana pregunto por teléfono también, ¿a qué hora abren?"),
    Reply("Según su página abren a las nueve; con la diferencia horaria, para ti son las cuatro de la tarde."),
)

GERMAN = _phone(
    73,
    "Heizung im Büro",
    User("Im Büro ist es morgens zu kalt. Kannst du die Heizung früher einschalten?"),
    shell("lamplight heating show büro", "büro: werktags 07:30–18:00 21,0 °C, sonst 16,0 °C"),
    Reply("Sie startet um halb acht. Soll ich sie auf halb sieben vorziehen? Das Aufheizen dauert etwa 50 Minuten."),
    User("Ja, aber nur von Montag bis Donnerstag. Freitags arbeite ich zu Hause."),
    Reply(
        "Eingestellt: Mo–Do 06:30–18:00 auf 21 °C, freitags bleibt das Büro bei 16 °C. Größere Änderungen sehe ich"
        " keine."
    ),
)

RUSSIAN = _phone(
    66,
    "Резервная копия фотографий",
    User("Привет! Фотографии с телефона не копируются на сервер уже неделю."),
    shell(
        "ssh attic.lan 'df -h /photos; tail -2 /var/log/photosync.log'",
        """
        /dev/sda1  1.8T  1.8T  120M 100% /photos
        photosync: ошибка записи: на устройстве не осталось места
        """,
        code=0,
    ),
    Reply("Диск заполнен: из 1,8 ТБ свободно только 120 МБ. Больше всего места занимают старые видео (640 ГБ)."),
    User("Перенеси видео старше трёх лет на внешний диск."),
    Reply("Перенёс 412 файлов (598 ГБ), контрольные суммы совпадают. Копирование фотографий снова работает."),
)

FRENCH = _phone(
    55,
    "Fiches produit en français",
    User("Traduis pour la boutique : « Green tea with roasted rice, nutty and mild. »"),
    Reply("« Thé vert au riz grillé, doux, aux notes de noisette. »"),
    User("Et l'étiquette : sans arômes ajoutés, à conserver au sec."),
    Reply(
        "« Sans arômes ajoutés. À conserver dans un endroit sec et frais, à l'abri de la lumière. » L'été dernier,"
        " c'était déjà la formule retenue."
    ),
)

KOREAN = _phone(
    47,
    "서울 손님 문의",
    User("손님이 한국어로 물어봤어요: 배송은 며칠 걸려요?"),
    Reply(
        "이렇게 답하시면 됩니다: 「주문하신 차는 보통 칠 일에서 십 일 안에 도착합니다. 발송되면 송장 번호를 보내"
        " 드리겠습니다.」"
    ),
    User("고마워!"),
)

ARABIC = _phone(
    38,
    "رسالة إلى المورّد",
    User("اكتب رسالة قصيرة للمورّد: نحتاج ٢٠ كيلو من الشاي بالنعناع قبل نهاية الشهر."),
    Reply("«مرحبًا، نودّ طلب ٢٠ كيلوغرامًا من الشاي بالنعناع على أن تصل قبل نهاية الشهر. رقم الطلب TS-118. شكرًا لكم.»"),
)

RESET_CHAT = _phone(
    24,
    "Trip to the coast",
    User("When is high water at the café on Saturday?"),
    Reply("At 11:42 and 23:58. The walk along the flats is safe from about 15:30 until 19:00."),
    User("And how long is the drive?"),
    Reply("Two hours and ten minutes, if you leave before nine."),
    Reset(),
    User("New topic: a birthday cake without eggs, for twelve people?"),
    Reply(
        "Lemon drizzle with soda and vinegar in place of eggs: 450 g flour, 300 g sugar, 180 ml oil, two lemons. 45"
        " min at 175 °C."
    ),
    chat="telegram:dm:311",
    name="Family",
)

NOTES = _phone(
    6.6,
    None,
    User("note: order filters for the kettle, 2 packs"),
    Reply("Noted."),
    User("note: ask about the loose roof tile above the attic window"),
    Reply("Noted. That is the one over the Pi, by the way."),
    User("what did I note this week?"),
    Reply("Filters for the kettle (2 packs), and the loose roof tile above the attic window."),
)

MORNING = _phone(
    0.3,
    None,
    User("good morning, anything I should know?"),
    Reply(
        "The backup is fine, the shop had 31 orders yesterday, and the import was done at 3:24. It will rain from four."
    ),
    User("☔ thanks"),
    Reply("Take the bus."),
)

LAB_DEPLOY = _room(
    79,
    "Deploy from the chat",
    User("[mika] did anyone see the sensor dashboard go blank?", observed=True),
    User("[jo] yes, since the deploy at noon", observed=True),
    User("[robin] @hermes roll the dashboard back one version"),
    shell("kubectl rollout undo deployment/dashboard -n lab", "deployment.apps/dashboard rolled back"),
    Reply("Rolled back to the version of yesterday evening. The dashboard answers again: 200 in 40 ms."),
    User("[jo] 🎉", observed=True),
)

LAB_RACK = _room(
    44,
    None,
    User("[jo] the rack is at 41 °C, is that the fan again?", observed=True),
    User("[mika] @hermes which machine is the hot one?"),
    Delegate(
        "Read the temperature of every machine in the rack and name the hottest.",
        [
            Call(
                "terminal",
                {"command": "for h in n1 n2 n3 n4; do echo $h $(ssh $h.lab sensors -j | jq '.cpu.temp1_input'); done"},
                {"output": "n1 48\nn2 47\nn3 83\nn4 49", "exit_code": 0, "error": None},
            ),
            Reply("n3 is at 83 °C, the others between 47 and 49 °C."),
        ],
    ),
    Reply("n3 at 83 °C. Its fan reports 0 rpm. I moved its two jobs to n4; someone should look at the fan."),
)

LAB_NAMES = _room(
    16,
    "A name for the new node",
    User("[mika] @hermes name ideas for the fifth node? all others are numbers, boring"),
    Reply("Since it hums: `kettle`, `samovar`, `bumblebee`, `theremin`."),
    User("[jo] theremin!!", observed=True),
    User("[robin] @hermes theremin it is, add it to the inventory"),
    Call(
        "patch",
        {"path": "inventory/hosts.yml", "patch": "+    theremin: {ansible_host: 10.7.0.15, role: worker}"},
        {"success": True, "path": "inventory/hosts.yml"},
    ),
    Reply("Added as `theremin` (10.7.0.15, worker)."),
)

SCENES = [
    CHINESE, JAPANESE, SPANISH, GERMAN, RUSSIAN, FRENCH, KOREAN, ARABIC, RESET_CHAT, NOTES, MORNING,
    LAB_DEPLOY, LAB_RACK, LAB_NAMES,
]  # fmt: skip
