"""`gradual fmt`: every comment stays, the parse never changes, twice is once."""

from __future__ import annotations

import random
import re

import pytest

from gradual.limits import LIMITS
from gradual.source import Source
from gradual.syntax.parse import parse
from gradual.syntax.printing.format import formatted
from tests.syntax.structure import structure


def layout(text: str, width: int = LIMITS.line) -> str:
    """The text formatted; that is idempotent and changes no program."""
    once = formatted(Source("test.relay", text), width)
    assert formatted(Source("test.relay", once), width) == once
    assert structure(parse(Source("test.relay", once))[0]) == structure(parse(Source("test.relay", text))[0])
    return once


def test_blocks_arms_and_constructors_stand_on_lines_of_their_own() -> None:
    text = """
type  List [A]{Cons(A,List[A]),Nil}
def @f[n](%x:Tensor[(n,4),float32],%xs:List[int32])->Tensor[(n,4),float32] where n>0{let %y=f(%x,axis=-1);%0=g(%y) ;
if(%c){%0}else if (%d) {%y}else{match(%xs){Cons(%a,_)=>{%a},Nil=>-%x,}}}
"""
    assert (
        layout(text)
        == """\
type List[A] {
  Cons(A, List[A]),
  Nil
}

def @f[n](%x: Tensor[(n, 4), float32], %xs: List[int32]) -> Tensor[(n, 4), float32] where n > 0 {
  let %y = f(%x, axis=-1);
  %0 = g(%y);
  if (%c) {
    %0
  } else if (%d) {
    %y
  } else {
    match (%xs) {
      Cons(%a, _) => {
        %a
      },
      Nil => -%x,
    }
  }
}
"""
    )


def test_comments_stay_where_they_were() -> None:
    text = """\
// a file
#[version = "0.0.5"] // the version

/* a function
   on two lines */
def @f(%x: int32 /* ty=int32 */) { // begins
  // alone

  // after a blank line
  let %y = %x /* ty=int32 */; // trailing
  f(%x, // first
    /* second */ %y)
  // last
}
// the end
"""
    assert layout(text) == text.replace("    /* second */ %y)", "      /* second */ %y)")


def test_one_blank_line_stays_between_items_and_one_stands_between_definitions() -> None:
    text = "def @f() {\n\n\n  %0 = 1;\n\n\n  %1 = 2;\n  %1\n\n}\ndef @g() { 1 }\n\n\n\n// about h\ndef @h() { 1 }"
    assert layout(text) == (
        "def @f() {\n  %0 = 1;\n\n  %1 = 2;\n  %1\n}\n\ndef @g() {\n  1\n}\n\n// about h\ndef @h() {\n  1\n}\n"
    )


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (
            "operator my.op <n , m:Dim> ( %x:int32 )->int32 where n<m;",
            "operator my.op<n, m: Dim>(%x: int32) -> int32 where n < m;",
        ),
        ("Tensor", "Tensor"),
        ("fn(%x:Tensor [ ( n,) ,float32]){%x}( 1 )", "fn (%x: Tensor[(n,), float32]) {\n  %x\n}(1)"),
        ("%x . 0 .1", "%x.0.1"),
        ("- %x * -1 - - 2", "-%x * -1 - -2"),
        ("%x as ref ( int32 )", "%x as ref(int32)"),
        ('f(a=[ 1,2 , n//2 ],b = "x ,  y",c=1)', 'f(a=[1, 2, n // 2], b="x ,  y", c=1)'),
        (
            "fn(%x{virtual_device=meta[VirtualDevice][0]}:int32,k=1){%x}",
            "fn (%x {virtual_device=meta[VirtualDevice][0]}: int32, k=1) {\n  %x\n}",
        ),
        (
            "{let %y{virtual_device=meta[VirtualDevice][0]}:int32=1;%y}",
            "{\n  let %y {virtual_device=meta[VirtualDevice][0]}: int32 = 1;\n  %y\n}",
        ),
        ("[?{ u.u<=n }, ?]", "[?{u. u <= n}, ?]"),
        ("(1 ,)", "(1,)"),
        ("{  }", "{  }"),
    ],
)
def test_blanks_are_canonical(text: str, canonical: str) -> None:
    found = formatted(Source("test.relay", text))
    assert found == (canonical if parse(Source("test.relay", text))[1] else canonical + "\n")


def test_a_text_with_errors_comes_back_as_it_is() -> None:
    text = "def  @f( {"
    assert formatted(Source("test.relay", text)) == text


def test_comments_anywhere_survive() -> None:
    program = (
        'def @f(%x: (int32, A)) -> fn (A) -> A where n > 0 { let %y = [n, 2] ; match (f(%x, a="s")) { A(_) => 1, } }'
    )
    words = program.split(" ")
    random.seed(7)
    for _ in range(60):
        picks = [
            random.choice((" ", " ", " /* c */ ", "\n/* c */\n", " /* c */\n", "\n// c\n", " // c\n")) for _ in words
        ]
        text = "".join(word + pick for word, pick in zip(words, picks, strict=True))
        text = re.sub(r"0 //", "0 /**/ //", text)
        if parse(Source("test.relay", text))[1]:
            continue
        assert layout(text).count(" c") == text.count(" c")


# ------------------------------------------------------------------------------------------------- long lines
LONG = """\
def @f(%x: Tensor[(n, 4), float32], %y: (int32, Tensor[(n,), int64])) -> Tensor[(n, 4), float32] where n > 1, m == 0 {
  let %z = nn.conv2d(%x, reshape(%y.1, newshape=[2, 2, 3, n // 12]), strides=[1, 1], padding=[0, 0, 0, 0]); // as is
  let %w = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
  let %sum = first(%x, %z) + second(%x, %z) + third(%x, %z);
  assert %x == %y and %y == %z or %z == %x, "the message of this assertion";
  match (map(fn (%a: Tensor[(n,), float32]) -> Tensor[(n,), float32] { %a }, %xs)) {
    Cons(%a, Cons(%b, Cons(%c, _))) => choose(%a, %b, %c, /* the last */ axis=0),
    _ => %x,
  }
}
"""


def test_long_lines_are_broken_in_one_style() -> None:
    assert (
        layout(LONG, 50)
        == """\
def @f(
  %x: Tensor[(n, 4), float32],
  %y: (int32, Tensor[(n,), int64])
) -> Tensor[(n, 4), float32]
where n > 1, m == 0 {
  let %z = nn.conv2d(
    %x,
    reshape(%y.1, newshape=[2, 2, 3, n // 12]),
    strides=[1, 1],
    padding=[0, 0, 0, 0]
  ); // as is
  let %w = [
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
    15, 16
  ];
  let %sum = first(%x, %z)
    + second(%x, %z)
    + third(%x, %z);
  assert %x == %y and %y == %z or %z == %x,
    "the message of this assertion";
  match (map(fn (
    %a: Tensor[(n,), float32]
  ) -> Tensor[(n,), float32] {
    %a
  }, %xs)) {
    Cons(%a, Cons(%b, Cons(%c, _))) => choose(
      %a,
      %b,
      %c,
      /* the last */ axis=0
    ),
    _ => %x,
  }
}
"""
    )


def test_the_clauses_of_a_where_stand_below_each_other() -> None:
    text = "def @f(%x: Tensor[(n, m), int32]) where n % 16 == 0, m % 16 == 0, n <= 512 {\n  %x\n}\n"
    assert layout(text, 40).splitlines()[:4] == [
        "def @f(%x: Tensor[(n, m), int32])",
        "where n % 16 == 0,",
        "      m % 16 == 0,",
        "      n <= 512 {",
    ]


@pytest.mark.parametrize("width", range(10, 130, 8))
def test_a_line_is_no_longer_than_the_width_if_it_can_be_broken(width: int) -> None:
    for line in layout(LONG, width).splitlines():
        code = line.partition(" //")[0] if line.endswith("as is") else line
        assert len(code) <= width or not re.search(r"[\[(][^\])]*, ", code[width:]), (width, line)


def test_a_line_with_very_many_parts_is_broken_once() -> None:
    rows, sums = ", ".join(["(%a, %b)"] * 1000), " + ".join(["f(%a)"] * 150)
    assert len(layout(f"({rows})").splitlines()) == 1002
    assert len(layout(f"def @f() {{ {sums} }}").splitlines()) == 152
