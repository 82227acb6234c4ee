"""Chapter 3: the parser, by descent.  A text that it cannot read is skipped, never rejected."""

from __future__ import annotations

from collections.abc import Callable

from .text import Node, Place, Skip, Token, lex

LEVELS: list[tuple[str, ...]] = [
    ("or",),
    ("and",),
    ("==", "!="),
    ("<", "<=", ">", ">="),
    ("+", "-"),
    ("*", "/", "//", "%"),
]

SHORT = {"int": "int32", "uint": "uint32", "float": "float32"}
"""[scalar.type]: other names of element types."""


class Parser:
    """Descends the grammar; places are those of the first and the last token."""

    def __init__(self, text: str) -> None:
        self.tokens = lex(text)
        self.i = 0

    @property
    def now(self) -> Token:
        return self.tokens[self.i]

    def next(self) -> Token:
        self.i += 1
        return self.tokens[self.i - 1]

    def accept(self, word: str) -> bool:
        if self.now.text == word and self.now.kind in ("SIGN", "NAME"):
            self.i += 1
            return True
        return False

    def want(self, word: str) -> Token:
        if not self.accept(word):
            raise Skip("syntax")
        return self.tokens[self.i - 1]

    def kind(self, *kinds: str) -> Token:
        if self.now.kind not in kinds:
            raise Skip("syntax")
        return self.next()

    def since(self, start: Place) -> Place:
        return (start[0], self.tokens[self.i - 1].span[1])

    def module(self) -> list[Node]:
        out = []
        while self.now.kind != "END":
            if self.now.text in ("type", "extern"):
                raise Skip("data types")
            if self.now.text == "operator":
                raise Skip("declared operators")
            out.append(self.definition())
        if not out:
            raise Skip("syntax")
        return out

    def definition(self) -> Node:
        start = self.want("def").span
        name = self.kind("GLOBAL")
        node = Node("def", start, name.text)
        node.more["name"] = Node("name", name.span, name.text)
        if self.accept("["):
            while not self.accept("]"):
                n = self.kind("NAME")
                kind = self.kind("NAME").text if self.accept(":") else ""
                if kind == "Type":
                    raise Skip("type parameters")
                node.attrs.append((n.text, self.since(n.span), Node(kind, n.span, n.text)))
                if not self.accept(","):
                    self.want("]")
                    break
        self.want("(")
        while not self.accept(")"):
            p = self.kind("LOCAL")
            if not self.accept(":"):
                raise Skip("omitted types")
            node.kids.append(Node("param", p.span, p.text, [self.type()]))
            if not self.accept(","):
                self.want(")")
                break
        node.more["result"] = self.type() if self.accept("->") else None
        clauses = Node("where", start)
        if self.accept("where"):
            clauses.kids.append(self.expr())
            while self.accept(","):
                clauses.kids.append(self.expr())
        node.more["where"] = clauses
        node.more["body"] = self.block()
        node.span = self.since(start)
        return node

    def type(self) -> Node:
        t = self.now
        if t.kind == "TENSOR":
            self.next()
            if self.accept("*"):
                raise Skip("unknown rank")
            self.want("(")
            dims = [
                Node("hole", d.span) if d.kind == "word" and d.text == "Any" else d for d in self.listed(")", self.expr)
            ]
            self.want(",")
            dtype = self.kind("NAME")
            self.want("]")
            return Node("tensor", self.since(t.span), SHORT.get(dtype.text, dtype.text), dims)
        if self.accept("("):
            parts = self.listed(")", self.type)
            return Node("tuple_type", self.since(t.span), "", parts)
        if t.text == "fn":
            raise Skip("function values")
        if t.text == "ref":
            raise Skip("references")
        if t.kind == "NAME":
            self.next()
            if self.now.text == "[":
                raise Skip("data types")
            return Node("tensor", t.span, SHORT.get(t.text, t.text))
        raise Skip("syntax")

    def listed(self, end: str, item: Callable[[], Node]) -> list[Node]:
        out: list[Node] = []
        while not self.accept(end):
            out.append(item())
            if not self.accept(","):
                self.want(end)
                break
        return out

    def block(self) -> Node:
        start = self.want("{").span
        body = self.contents("}")
        self.want("}")
        return Node("block", self.since(start), "", [body])

    def contents(self, end: str) -> Node:
        """Items, then the value of the block, which is the last part."""
        start = self.now.span
        items: list[Node] = []
        while True:
            t = self.now
            if t.text == "let" and t.kind == "NAME":
                self.next()
                v = self.kind("LOCAL", "GRAPH")
                if self.now.text == "{":
                    raise Skip("syntax")
                ann = self.type() if self.accept(":") else None
                self.want("=")
                items.append(Node("let", v.span, v.text, [self.value()], [], {"type": ann}))
                self.want(";")
            elif t.kind == "GRAPH" and self.tokens[self.i + 1].text == "=":
                self.next()
                self.next()
                items.append(Node("let", t.span, t.text, [self.value()], [], {"type": None}))
                self.want(";")
            elif t.text == "assert":
                self.next()
                c = self.expr()
                if self.accept(","):
                    self.kind("STRING")
                self.want(";")
                items.append(Node("assert", c.span, "", [c]))
            elif t.text == "free_var":
                raise Skip("syntax")
            else:
                e = self.expr()
                if self.accept(";"):
                    items.append(Node("statement", e.span, "", [e]))
                    continue
                return Node("contents", self.since(start), "", [*items, e]) if items else e

    def value(self) -> Node:
        if self.now.text == "let" or (self.now.kind == "GRAPH" and self.tokens[self.i + 1].text == "="):
            return self.contents(";")
        return self.expr()

    def expr(self) -> Node:
        start = self.now.span
        if self.now.text == "if" and self.tokens[self.i + 1].text != "(":
            self.next()
            c = self.expr()
            self.want("then")
            a = self.expr()
            self.want("else")
            return Node("choose", self.since(start), "", [c, a, self.expr()])
        if self.now.text == "if" and self.tokens[self.i + 1].text == "(":
            mark = self.i
            depth = 0
            for j in range(self.i + 1, len(self.tokens)):
                depth += {"(": 1, ")": -1}.get(self.tokens[j].text, 0)
                if depth == 0:
                    break
            if self.tokens[j + 1].text != "{":
                self.next()
                c = self.expr()
                self.want("then")
                a = self.expr()
                self.want("else")
                return Node("choose", self.since(start), "", [c, a, self.expr()])
            self.i = mark
        e = self.level(0)
        while self.now.text == "as" and self.now.kind == "NAME":
            self.next()
            e = Node("cast", self.since(start), "", [e], [], {"type": self.type()})
            e.span = self.since(start)
        return e

    def level(self, k: int) -> Node:
        if k == len(LEVELS):
            return self.signed()
        start = self.now.span
        if k == 2 and self.now.text == "not" and self.now.kind == "NAME" and self.tokens[self.i + 1].text != "=":
            self.next()
            return Node("unary", self.since(start), "not", [self.level(2)])
        e = self.level(k + 1)
        while self.now.text in LEVELS[k] and self.now.kind in ("SIGN", "NAME"):
            sign = self.next().text
            e = Node("infix", start, sign, [e, self.level(k + 1)])
            e.span = self.since(start)
        return e

    def signed(self) -> Node:
        start = self.now.span
        if self.accept("-"):
            if self.now.kind == "NUMBER" and self.now.span[0] == start[1]:
                n = self.next()
                return Node("number", self.since(start), "-" + n.text)
            inner = self.signed()
            return Node("unary", self.since(start), "-", [inner])
        return self.postfix()

    def postfix(self) -> Node:
        start = self.now.span
        e = self.atom()
        while True:
            if self.now.text == "(" and self.now.kind == "SIGN":
                self.next()
                call = Node("call", start, "", [e])
                while not self.accept(")"):
                    n = self.now
                    if n.kind == "NAME" and self.tokens[self.i + 1].text == "=":
                        self.next()
                        self.next()
                        value = self.expr()
                        call.attrs.append((n.text, (n.span[0], value.span[1]), value))
                    else:
                        call.kids.append(self.value())
                    if not self.accept(","):
                        self.want(")")
                        break
                call.span = self.since(start)
                e = call
            elif self.now.kind == "PROJECT":
                i = self.next().text[1:].strip()
                e = Node("project", self.since(start), i, [e])
            elif self.now.text == "[" and self.now.kind == "SIGN":
                self.next()
                parts = self.listed("]", self.expr)
                e = Node("instance", self.since(start), "", [e, *parts])
            else:
                return e

    def atom(self) -> Node:
        t = self.now
        if t.kind in ("LOCAL", "GRAPH", "GLOBAL", "NUMBER", "STRING"):
            self.next()
            return Node(t.kind.lower(), t.span, t.text)
        if t.kind == "BOUND":
            self.next()
            inner = self.expr()
            self.want("}")
            name = t.text.strip("?{. \t\r\n")
            return Node("bounded", self.since(t.span), name, [inner])
        if t.text == "?":
            self.next()
            return Node("hole", t.span)
        if t.text == "(":
            self.next()
            if self.accept(")"):
                return Node("tuple", self.since(t.span))
            first = self.contents(")")
            if self.accept(")"):
                return Node("group", self.since(t.span), "", [first])
            self.want(",")
            rest = self.listed(")", self.value)
            return Node("tuple", self.since(t.span), "", [first, *rest])
        if t.text == "[":
            self.next()
            parts = self.listed("]", self.expr)
            return Node("list", self.since(t.span), "", parts)
        if t.text == "{":
            return self.block()
        if t.text == "if":
            self.next()
            self.want("(")
            c = self.contents(")")
            self.want(")")
            a = self.block()
            self.want("else")
            b = self.atom() if self.now.text == "if" else self.block()
            return Node("if", self.since(t.span), "", [c, a, b])
        if t.text == "fn":
            raise Skip("function values")
        if t.text == "match":
            raise Skip("data types")
        if t.text in ("ref", "ref_read", "ref_write"):
            raise Skip("references")
        if t.kind == "NAME" and t.text not in ("def", "let", "else", "type"):
            self.next()
            return Node("word", t.span, t.text)
        raise Skip("syntax")


def parse(text: str) -> list[Node]:
    """The definitions of a file."""
    return Parser(text).module()
