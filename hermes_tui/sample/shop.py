"""Teashop: a small web shop for tea, its basket, its database and its busy week."""

from __future__ import annotations

import base64
import struct
import zlib

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

SHOP = "/srv/teashop"


def _picture() -> str:
    """A small picture with two stripes as a data URL, standing for a photo of an invoice."""
    rows = b"".join(b"\0" + (b"\xf4\xee\xe0" if row % 4 else b"\x5a\x3d\x2b") * 24 for row in range(16))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 24, 16, 8, 2, 0, 0, 0)
    # Stored, not compressed: the bytes are then the same with every version of zlib.
    image = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b"")
    return "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + image).decode()


VAT = Scene(
    day=115,
    title="VAT rounding in the basket",
    cwd=SHOP,
    git_branch="vat-rounding",
    steps=[
        User("A customer's basket shows 0.01 € more than the invoice. Three tins at 4.99 with 7 % VAT."),
        read(
            f"{SHOP}/basket/totals.py",
            """
            def gross(lines):
                return sum(round(line.net * (1 + line.vat), 2) for line in lines)
            """,
        ),
        shell(
            "python - <<'PY'\nprint(round(4.99*1.07, 2)*3, round(4.99*3*1.07, 2))\nPY",
            "16.02 16.02",
            saying="Trying the numbers by hand.",
        ),
        shell(
            "python - <<'PY'\nfrom decimal import *\nprint((Decimal('4.665')).quantize(Decimal('.01'),"
            " ROUND_HALF_UP), round(4.665, 2))\nPY",
            "4.67 4.67",
        ),
        Reply(
            text(
                """
                The basket rounds each line with binary floats, the invoice rounds the sum of a VAT rate with `Decimal`.
                Both are allowed, but they have to be the same. I would round once per rate, as the invoice does:

                ```python
                CENT = Decimal("0.01")

                def gross(lines: Iterable[Line]) -> Decimal:
                    by_rate: dict[Decimal, Decimal] = defaultdict(Decimal)
                    for line in lines:
                        by_rate[line.vat] += line.net
                    rounded = ((net * (1 + rate)).quantize(CENT, ROUND_HALF_UP) for rate, net in by_rate.items())
                    return sum(rounded, Decimal(0))
                ```
                """
            ),
            thinking="Half up is what the tax office expects for invoices; banker's rounding would surprise people.",
        ),
        User("Yes, same as the invoice."),
        patch(
            "basket/totals.py",
            """
            @@ -1,2 +1,9 @@
            -def gross(lines):
            -    return sum(round(line.net * (1 + line.vat), 2) for line in lines)
            +CENT = Decimal("0.01")
            +
            +
            +def gross(lines: Iterable[Line]) -> Decimal:
            +    by_rate: dict[Decimal, Decimal] = defaultdict(Decimal)
            +    for line in lines:
            +        by_rate[line.vat] += line.net
            +    rounded = ((net * (1 + rate)).quantize(CENT, ROUND_HALF_UP) for rate, net in by_rate.items())
            +    return sum(rounded, Decimal(0))
            """,
        ),
        raw_shell(
            "pytest basket -q",
            """
            \x1b[32m.\x1b[0m\x1b[32m.\x1b[0m\x1b[32m.\x1b[0m\x1b[32m.\x1b[0m\x1b[32m.\x1b[0m\x1b[32m.\x1b[0m [100%]
            \x1b[32m\x1b[1m27 passed\x1b[0m\x1b[32m in 1.92s\x1b[0m
            """,
        ),
        Reply(
            "Basket and invoice agree now, to the cent, in all 27 tests. 312 old orders would have differed by a cent."
        ),
    ],
)

SLOW_LIST = Scene(
    day=101,
    title="Slow product list page",
    cwd=SHOP,
    steps=[
        User("/tea/green takes 4 seconds. There are only 180 products!"),
        raw_shell(
            "curl -s -o /dev/null -w '%{time_total}\\n' https://shop.kettle.example/tea/green && tail -5 log/sql.log",
            """
            4.118
            (0.021) SELECT * FROM product_price WHERE product_id = 4711 ORDER BY valid_from DESC LIMIT 1
            (0.022) SELECT * FROM product_price WHERE product_id = 4712 ORDER BY valid_from DESC LIMIT 1
            (0.020) SELECT * FROM product_price WHERE product_id = 4713 ORDER BY valid_from DESC LIMIT 1
            ... 177 more
            """,
        ),
        shell(
            "sqlite3 shop.db 'EXPLAIN QUERY PLAN SELECT * FROM product_price WHERE product_id=4711 ORDER BY"
            " valid_from DESC LIMIT 1'",
            """
            QUERY PLAN
            |--SCAN product_price
            `--USE TEMP B-TREE FOR ORDER BY
            """,
        ),
        Reply(
            text(
                """
                Two things at once: one query per product (the N+1 problem), and each of them scans the whole price
                table because there is no index.

                ```sql
                CREATE INDEX product_price_by_product ON product_price (product_id, valid_from DESC);
                ```

                With the index the page takes 0.3 s; with one query for all products in place of 180 it takes 0.06 s.
                """
            )
        ),
        User("Both, in that order, separate commits."),
        shell(
            "git log --oneline -2",
            """
            9f31c0e Fetch the prices of a product list in one query
            41ab77d Index product_price by product and date
            """,
        ),
        Reply("Two commits on `main`. The page answers in 58 ms."),
    ],
)


DOUBLE_CHARGE = Scene(
    day=63,
    title="Double charge after a timeout",
    cwd=SHOP,
    git_branch="payments",
    steps=[
        User("Two customers were charged twice yesterday, both after a timeout on the payment page. Find out why."),
        Delegate(
            "Read log/payment.log of yesterday and list every order that was charged more than once, with times.",
            [
                Call(
                    "terminal",
                    {"command": "grep -c charge.created log/payment.log; jq -r 'select(.n>1)' log/per_order.json"},
                    {
                        "output": '214\n{"order":"T-20931","n":2}\n{"order":"T-20958","n":2}',
                        "exit_code": 0,
                        "error": None,
                    },
                ),
                Reply(
                    "T-20931: charges at 18:02:11 and 18:02:44. T-20958: 20:15:03 and 20:15:35. Both second charges"
                    " follow a `ReadTimeout` after 30 s and came from the same request being sent again."
                ),
            ],
        ),
        Reply(
            text(
                """
                The retry after a `ReadTimeout` sends the charge again without an idempotency key, so the provider takes
                it for a new one. The first had gone through; only its answer was late.

                ```python
                key = f"{order.id}:{order.payment_attempt}"
                provider.charge(order.total, headers={"Idempotency-Key": key})
                ```

                The same key on every retry of one attempt makes the second call return the first charge.
                """
            ),
            thinking="The delegate's times are 32 s apart, which is the 30 s timeout plus the pause of the retry.",
        ),
        User("Yes. And refund the two."),
        shell(
            "bin/refund T-20931 T-20958 --reason duplicate",
            """
            T-20931  refunded 38.40 EUR
            T-20958  refunded 12.95 EUR
            """,
        ),
        Reply("Both refunded, and the idempotency key is in place with a test that times out on purpose."),
    ],
)


INVOICE = Scene(
    day=33,
    title="Invoice layout from a photo",
    cwd=SHOP,
    model=SMALL,
    steps=[
        User(
            [
                {
                    "type": "text",
                    "text": "This is how the invoice comes out of the shop printer. Why is the right side cut off?",
                },
                {"type": "image_url", "image_url": {"url": _picture(), "detail": "auto"}},
            ]
        ),
        Reply(
            "The lines run to the very edge. The page is set to A4 with 5 mm margins, and the printer cannot print in"
            " the outer 6 mm. Set `@page { margin: 12mm }` in `invoice.css`, then the column of totals is complete."
        ),
        patch("templates/invoice.css", "-@page { size: A4; margin: 5mm }\n+@page { size: A4; margin: 12mm }"),
        User("Prints fine now."),
        Reply("Good."),
    ],
)


LOAD_TEST = Scene(
    day=9,
    title="Load test before the busy week",
    cwd=SHOP,
    steps=[
        User("How many people can shop at once before it gets slow? The busy week starts on Friday."),
        Call(
            "terminal",
            {"command": "k6 run --vus 200 --duration 3m --summary-export out.json load/shop.js"},
            {
                "output": '{"metrics":{"http_req_duration":{"p(50)":81.2,"p(95)":412.9,"p(99)":1904.7},'
                '"http_reqs":{"count":38112,"rate":211.7},"http_req_failed":{"value":0.0031}}}',
                "exit_code": 0,
                "error": None,
            },
        ),
        Reply(
            text(
                """
                At 200 shoppers at once:

                | | ms |
                |---|---|
                | half of the pages | 81 |
                | 95 of 100 | 413 |
                | 99 of 100 | 1,905 |

                0.3 % failed, all with `connection pool exhausted`. The pool has 10 connections; PostgreSQL allows 100.
                """
            )
        ),
        User("Raise it to 40 and run again."),
        Call(
            "terminal",
            {"command": "k6 run --vus 200 --duration 3m --summary-export out.json load/shop.js"},
            {
                "output": '{"metrics":{"http_req_duration":{"p(50)":74.0,"p(95)":168.3,"p(99)":301.5},'
                '"http_reqs":{"count":41020,"rate":227.9},"http_req_failed":{"value":0}}}',
                "exit_code": 0,
                "error": None,
            },
        ),
        Reply(
            "Nothing fails any more, and 99 of 100 pages come within 302 ms. That is three times last year's best hour."
        ),
    ],
)

NEWSLETTER = Scene(
    day=2.2,
    title="Newsletter wording",
    cwd=SHOP,
    model=SMALL,
    flags=frozenset({"archived"}),
    steps=[
        User("Make this friendlier: 'Your order has been dispatched. Delivery takes 2-3 days.'"),
        Reply("'Your tea is on its way! It should reach you in two or three days. Put the kettle on.'"),
        User("Without the exclamation mark."),
        Reply("'Your tea is on its way. It should reach you in two or three days, so keep the kettle close.'"),
    ],
)

SCENES = [VAT, SLOW_LIST, DOUBLE_CHARGE, INVOICE, LOAD_TEST, NEWSLETTER]
