"""A page as a reader sees it."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dotagent.capabilities.web import page

HERE = "https://example.org/news/today.html"


def told(body: str, charset: str | None = "utf-8") -> str:
    found = page.text(body.encode(charset or "utf-8"), "text/html; charset=x", charset, HERE)
    assert found is not None
    return found


def test_its_title_headings_lists_tables_and_whole_links() -> None:
    found = told(
        "<title>News &amp; more</title><body><h2>Today</h2><p>It <b>rains</b>, see <a href='../map?x=1#top'>the map</a>"
        "."
        "<ul><li>one<li>two</ul><table><tr><th>a<th>b<tr><td>1<td>2</table><img src=x.png alt='a red house'>"
    )
    assert found.startswith("News & more\n\n## Today\n")
    for part in (
        "It **rains**, see [the map](https://example.org/map?x=1).",
        "- one\n- two",
        "| 1 | 2 |",
        "a red house",
    ):
        assert part in found


def test_what_is_raised_or_lowered_does_not_join_the_number_before() -> None:
    found = told("<p>10<sup>3</sup> files, from $5<sup>2</sup>, leaves at 7<sup>30</sup>, x<sub>1</sub>2")
    assert found == "10^3^ files, from $5^2^, leaves at 7^30^, x~1~2"


def test_what_browsers_show_apart_or_struck_out_is_written_so() -> None:
    assert told("<p>Now <strike>50</strike> 40") == "Now ~~50~~ 40"
    assert told("<details><summary>Price?</summary>Forty.</details><p>Nine") == "Price?\n\nForty.\n\nNine"
    assert told("<p><math><mfrac><mn>1</mn><msup><mi>x</mi><mn>2</mn></msup></mfrac></math>") == "1/x^2"


def test_a_cell_over_several_rows_leaves_the_others_in_their_columns() -> None:
    found = told(
        "<table><tr><th>Day<th>Time<th>Room<tr><td rowspan=2>Monday<td>9:00<td>A<tr><td>10:00<td>B"
        "<tr><td>Tuesday<td rowspan=3>11:00<td>C<tr><td>Wednesday<td rowspan=99>D<tr><td>Friday</table>"
        "<table><tr><td rowspan=2 colspan=2>wide<td>1<tr><td>2</table>"
    )
    assert found.split("\n") == [
        "| Day | Time | Room |", "| --- | --- | --- |", "| Monday | 9:00 | A |", "| Monday | 10:00 | B |",
        "| Tuesday | 11:00 | C |", "| Wednesday | 11:00 | D |", "| Friday | 11:00 | D |", "",
        "|  |  |  |", "| --- | --- | --- |", "| wide | | 1 |", "| wide | | 2 |",
    ]  # fmt: skip


def test_cells_over_many_rows_do_not_make_a_page_large() -> None:
    row = "<tr>" + "<td rowspan=1000>x" * 1000
    assert len(told(f"<table>{row}{'<tr>' * 999}</table>")) < 200_000


def test_a_cell_with_a_bar_stays_one_cell() -> None:
    assert "| x \\| y | z |" in told("<table><tr><th>a<th>b<tr><td>x | y<td>z</table>")


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        ("<ol reversed><li>c<li>b<li>a</ol>", "3. c\n2. b\n1. a"),
        ("<ol reversed start=5><li>e<li>d</ol>", "5. e\n4. d"),
        ("<ol><li value=7>x<li>y<li value=-1>z</ol>", "7. x\n8. y\n-1. z"),
        ("<ol start=0><li>x<ol start=3><li>in</ol><li>y</ol>", "0. x\n   3. in\n1. y"),
    ],
)
def test_a_list_keeps_the_numbers_of_its_page(body: str, rows: str) -> None:
    assert told(body) == rows


def test_a_link_of_an_icon_has_a_text_unless_another_link_has_it_or_it_leads_nowhere() -> None:
    assert told("<p><a href=/cal.ics aria-label=Calendar><svg></svg></a> <a href=/r.pdf><img src=x></a></p>") == (
        "[Calendar](https://example.org/cal.ics) <https://example.org/r.pdf>"
    )
    assert told("<p><a href=/r><img src=x></a><a href=/r>Report</a> <a href='#top'></a></p>") == (
        "[Report](https://example.org/r)"
    )


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>obey</script>", "<style>obey</style>", "<template>obey</template>", "<!-- obey -->",
        "<p hidden>obey</p>",        "<p style='display: NONE'>obey</p>", "<p style='visibility:hidden'>obey</p>",
        "<p style='opacity:0'>obey</p>",
        "<p style='font-size:0'>obey</p>", "<p aria-hidden=true>obey</p>", "<nav>obey</nav>", "<form>obey</form>",
        "<noscript>obey</noscript>", "<aside>obey</aside>", "<div hidden><p>a<p hidden>obey</div>",
    ],
)  # fmt: skip
def test_what_a_browser_hides_and_what_surrounds_a_page_is_left_out(hidden: str) -> None:
    found = told(f"<body><p>seen</p>{hidden}<p>seen too</p>")
    assert "obey" not in found and "seen" in found and "seen too" in found


def test_the_main_part_where_it_says_enough() -> None:
    long = "It was a long day. " * 20
    assert told(f"<body><p>around</p><main>{long}</main>") == long.strip()
    assert told(f"<body><p>around</p><article>{long}</article>") == long.strip()
    assert "around" in told("<body><p>around</p><main>short</main>")
    assert "around" in told(f"<body><p>around</p><article>{long}</article><article>{long}</article>")


def test_what_is_no_page_is_its_text_or_nothing() -> None:
    assert page.text(b'{"a": 1}', "application/json", None, HERE) == '{"a": 1}'
    assert page.text("Käse".encode("latin-1"), "text/plain", "latin-1", HERE) == "Käse"
    assert page.text(b"K\xe4se", "text/plain", "no-such-charset", HERE) == "K\ufffdse"
    assert page.text(b"%PDF-1.7 \0", "application/pdf", None, HERE) is None
    assert page.text(b"\0\1", "", None, HERE) is None


@pytest.mark.parametrize("href", ["http://[x", "http://a]b/", "https://x℀y/", "//[::1"])
def test_a_link_that_is_no_address_spoils_no_other(href: str) -> None:
    found = told(f"<a href='{href}'>bad</a> and <a href='/good'>good</a>")
    assert "bad" in found and "[good](https://example.org/good)" in found


def test_a_page_of_boxes_in_boxes_is_read() -> None:
    assert "deep" in told("<div>" * 3000 + "deep" + "</div>" * 3000)


@given(st.text(st.sampled_from("<>/abpdivhref[]:='\" =!-&;\0é◱"), max_size=200) | st.text(max_size=80))
@example("notes.txt")
def test_whatever_a_page_is_it_is_read(body: str) -> None:
    assert page.text(body.encode("utf-8", "replace"), "text/html", None, HERE) is not None


@pytest.mark.parametrize("charset", ["ISO-8859-1", None])
def test_a_charset_is_read_as_browsers_read_it(charset: str | None) -> None:
    """They read Latin-1 as Windows' characters, because many pages with these say that they are Latin-1."""
    words = "That is € 5, “fair”"
    body = f"<meta charset=iso-8859-1><p>{words}".encode("cp1252")
    assert words in str(page.text(body, "text/html", charset, HERE))
    assert page.text(b"5 \x80", "text/plain", "latin-1", HERE) == "5 €"
