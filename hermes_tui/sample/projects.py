"""The larger changes to the shop: told over several sessions, with a branch, and with history summarised in place."""

from __future__ import annotations

from hermes_tui.sample.script import (
    Branch,
    Call,
    Compact,
    Pause,
    Reply,
    Scene,
    Split,
    User,
    patch,
    raw_shell,
    shell,
    text,
)
from hermes_tui.sample.shop import SHOP

POSTGRES = Scene(
    day=88,
    title="Move the shop to PostgreSQL",
    cwd=SHOP,
    git_branch="postgres",
    steps=[
        User("Let's move teashop from SQLite to PostgreSQL. Plan first, please."),
        Call(
            "todo",
            {"todos": ["dump and load", "types", "sequences", "full-text search", "switch over", "roll back plan"]},
            {"total": 6, "pending": 6},
        ),
        Reply(
            text(
                """
                Plan, each step can be undone:

                1. Load a copy into `teashop_test` with pgloader and compare row counts.
                2. Types: prices are `REAL`, they become `numeric(10,2)`; times are text, they become `timestamptz`.
                3. Sequences: set each to `max(id)+1`.
                4. Search: FTS5 becomes `tsvector` with the german and english dictionaries.
                5. Switch over at night, read-only for about ten minutes.
                6. Keep the SQLite file for 30 days.
                """
            )
        ),
        User("Go ahead with 1."),
        raw_shell(
            "pgloader teashop.load",
            """
            2026-09-03T07:31:20.018000Z LOG pgloader version "3.6.9"
                         table name     errors       rows      bytes      total time
            -----------------------  ---------  ---------  ---------  --------------
                      shop.customer          0       4102     1.1 MB          0.412s
                         shop.order          0      11873     3.9 MB          1.021s
                    shop.order_line          0      30516     4.4 MB          1.388s
                 shop.product_price         14       2210   148.1 kB          0.167s
            -----------------------  ---------  ---------  ---------  --------------
                  Total import time         14      48701     9.5 MB          2.988s
            """,
        ),
        Reply(
            "All but 14 rows of `product_price` arrived. Those have a price of `'4,90'` with a comma: text in a REAL"
            " column."
        ),
        User("Fix them in SQLite first, then load again."),
        shell(
            "sqlite3 shop.db \"UPDATE product_price SET net = replace(net, ',', '.') + 0 WHERE typeof(net) = 'text'\"",
            "",
        ),
        Reply("14 rows fixed, and the load is clean: 48,715 rows, no errors."),
        Split(
            "Robin moves teashop from SQLite to PostgreSQL. Done: plan of six steps; step 1, the test load, is clean"
            " (48,715 rows) after 14 prices with a decimal comma were fixed. Next: step 2, types (numeric(10,2),"
            " timestamptz)."
        ),
        Pause(20),
        User("Step 2 then. Watch out for the opening hours, they are local times without a zone."),
        patch(
            "migrations/0042_types.sql",
            """
            +ALTER TABLE product_price ALTER COLUMN net TYPE numeric(10,2);
            +ALTER TABLE shop_order ALTER COLUMN placed_at TYPE timestamptz USING placed_at::timestamptz;
            +ALTER TABLE opening_hours ALTER COLUMN opens TYPE time USING opens::time;  -- local, without a zone
            +SELECT setval('shop_order_id_seq', (SELECT max(id) FROM shop_order));
            """,
        ),
        raw_shell(
            "psql teashop_test -f migrations/0042_types.sql",
            """
            ALTER TABLE
            psql:0042_types.sql:2: ERROR:  invalid input syntax for type timestamp with time zone: "0000-00-00"
            """,
        ),
        Reply(
            "Three orders from the import of the old shop have `0000-00-00` as their date. I set them to NULL in the"
            " test copy."
        ),
        User("They were placed on the day we opened, 2019-04-01. Use that."),
        Reply("Set to 2019-04-01 12:00 Europe/Berlin. Types and sequences are done; row counts still agree."),
        Split(
            "Still the move of teashop to PostgreSQL. Steps 1 to 3 are done in teashop_test: data, types, sequences."
            " Three orders dated 0000-00-00 are now 2019-04-01 12:00 Europe/Berlin. Left: full-text search, the"
            " switch, a way back."
        ),
        Pause(44),
        User("Search next. People type 'gruner tee' without the umlaut and must find 'Grüner Tee'."),
        Reply(
            text(
                """
                `unaccent` in front of the dictionary does that:

                ```sql
                CREATE TEXT SEARCH CONFIGURATION tea (COPY = german);
                ALTER TEXT SEARCH CONFIGURATION tea ALTER MAPPING FOR hword, hword_part, word
                    WITH unaccent, german_stem;
                ```

                'gruner tee', 'Grüner Tee' and 'grüne Tees' all find the same 41 products.
                """
            )
        ),
        User("Perfect. Switch tonight at 2."),
        shell(
            "systemctl status teashop --no-pager | head -3 && psql teashop -Atc 'select count(*) from shop_order'",
            """
            ● teashop.service - Kettle tea shop
                 Active: active (running) since Thu 02:09:51 CEST
            11902
            """,
        ),
        Reply(
            "Switched: read-only from 02:00 to 02:09, 11,902 orders on both sides. The SQLite file is kept until the"
            " end of the month."
        ),
    ],
)


CHECKOUT = Scene(
    day=52,
    title="Redesign the checkout",
    cwd=SHOP,
    steps=[
        User("Four checkout pages are too many. Which steps can go?"),
        Reply(
            "Of 100 people who start, 71 reach page 2, 58 page 3 and 49 the end. Page 2 asks only for the kind of"
            " delivery, which page 3 could do as well. I would go from four to three pages first."
        ),
        User("Three pages: address, delivery and payment, review."),
        Reply("Then the address check moves in front of delivery, and the voucher field goes to the review page."),
        Branch(
            "Redesign the checkout, all on one page",
            [
                User("Actually, let me think aloud: what if all of it was one page?"),
                Reply(
                    "Then nothing is lost between pages, but the form is long on a phone. It works when each part"
                    " folds up once it is filled in. I would try it on one in ten visitors for two weeks."
                ),
                User("One in ten, two weeks. Make it so."),
                shell(
                    "bin/flag set checkout_one_page --share 0.1 --until +14d",
                    "checkout_one_page: 10 % until in 14 days",
                ),
                Reply("The test runs for 10 % of visitors. I look at the numbers again when it ends."),
            ],
        ),
    ],
)


SEARCH_BOX = Scene(
    day=20,
    title="Search box for the shop",
    cwd=SHOP,
    git_branch="search-box",
    steps=[
        User("I want a search box that shows hits while typing. No framework, please."),
        Reply("Then: a `<dialog>`, one `fetch` per pause in typing, and the server answers with ready-made HTML."),
        User("How long should the pause be?"),
        Reply(
            "150 ms. Shorter sends a request for every letter, longer feels slow. An answer that is late must not"
            " win: keep an `AbortController` and cancel the request before."
        ),
        User("Write it."),
        Call(
            "write_file",
            {
                "path": f"{SHOP}/static/search.js",
                "content": text(
                    """
                    let waiting, running;
                    const box = document.querySelector("#search input");
                    const hits = document.querySelector("#search output");

                    box.addEventListener("input", () => {
                      clearTimeout(waiting);
                      waiting = setTimeout(async () => {
                        running?.abort();
                        running = new AbortController();
                        try {
                          const answer = await fetch(`/search?q=${encodeURIComponent(box.value)}`, running);
                          hits.innerHTML = await answer.text();
                        } catch (error) {
                          if (error.name !== "AbortError") throw error;
                        }
                      }, 150);
                    });
                    """
                ),
            },
            {"success": True, "bytes_written": 611},
        ),
        Reply("`static/search.js`, 20 lines. The route `/search` answers with a list."),
        User("It finds 'earl grey' but not 'earlgrey'."),
        Reply("A trigram index finds parts of words: `CREATE INDEX ON product USING gin (name gin_trgm_ops)`."),
        Compact(
            "A search box for teashop without a framework: static/search.js (150 ms pause, AbortController), route"
            " /search answers HTML, trigram index so that 'earlgrey' finds 'Earl Grey'.",
            keep_last=2,
        ),
        User("Keyboard: arrow down should go into the list."),
        patch(
            "static/search.js",
            """
            @@ -18,3 +18,9 @@
               }, 150);
             });
            +
            +box.addEventListener("keydown", (event) => {
            +  if (event.key !== "ArrowDown") return;
            +  hits.querySelector("a")?.focus();
            +  event.preventDefault();
            +});
            """,
        ),
        Reply("Arrow down moves into the hits, Enter opens one. Escape closes the dialog by itself."),
        User("And a screen reader?"),
        Reply("`role=\"status\"` on the output and a line such as '7 teas found' that is read aloud after the pause."),
        Compact(
            "The search box works with keys and screen readers too (ArrowDown into the hits, role=status). Left:"
            " highlight the found part of a name, and an empty state.",
            keep_last=1,
        ),
        User("Now mark the part of the name that was found."),
        Reply("Done on the server with `ts_headline` for words and by position for trigrams: `<mark>` around it."),
        User("And when nothing is found?"),
        Reply(
            "'No tea by that name. Did you mean …' with the three nearest names by similarity. I think it is complete."
        ),
    ],
)


SCENES = [POSTGRES, CHECKOUT, SEARCH_BOX]
