r"""Words in a form in which a model's print and a file's text layer can be compared.

Two accounts of the same words differ in much that nobody would call an error: ligatures, case, accents as one
or two characters, kinds of quotes and dashes, full-width forms, hyphens at line ends, where words are cut.
What is left here is letters and numbers: punctuation and signs are not compared.

The rules are Unicode's: compatibility composition (UAX 15), full case folding and decimal digits.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

# Letters and numbers apart, so that "m²" is "m" and "2" as in a layer where the raised digit is a word.
_TOKEN = re.compile(r"[0-9]+(?:[.,'’][0-9]+)*|[^\W\d_]+")
_ASCII_TOKEN = re.compile(r"[0-9]+(?:[.,'][0-9]+)*|[a-z]+")
_TOKEN_OR_LINE = re.compile(_TOKEN.pattern + "|\n")
_ASCII_TOKEN_OR_LINE = re.compile(_ASCII_TOKEN.pattern + "|\n")
# Marks between thousands, with the decimals behind them. One "." before three digits is most often a decimal
# point: it counts as a mark only where it comes again, or a decimal comma stands behind it.
_BY_COMMA = re.compile(r"([1-9][0-9]{0,2}(?:[,'’][0-9]{3})+)(?:\.([0-9]+))?")
_BY_POINT = re.compile(r"([1-9][0-9]{0,2}(?:\.[0-9]{3})+),([0-9]+)|[1-9][0-9]{0,2}(?:\.[0-9]{3}){2,}")
_SEPARATOR = re.compile(r"[,'’]")
_NO_DIGIT = re.compile("[^0-9]")
# Scripts that put no space between words are compared by characters (Unicode blocks of Thai, Lao, Myanmar,
# Khmer, Kana, Bopomofo and Han).
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff]"
)
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
# Soft hyphens, joiners, direction marks, the Arabic stroke that lengthens words; signs that NFKC would turn
# into letters.
_DROPPED = dict.fromkeys((173, 1600, 8203, 8204, 8205, 8206, 8207, 8288, 65279))
_DROPPED |= {ord(char): " " for char in "™℠ªº"}
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_STRANGE = re.compile("[\ufffd\ue000-\uf8ff\x00-\x08\x0e-\x1f]")

_COMMAND = re.compile(r"\\([A-Za-z]+)\*?")
# LaTeX commands, and ticked boxes as Markdown writes them for a glyph that is no letter.
_MARKUP = re.compile(_COMMAND.pattern + r"|(?:^|(?<=\s))\[[xX]\](?=\s|$)")
_LINK = re.compile(r"\[([^\[\]\n]{1,600})\]\(<?([^()<>\s]{1,1000})>?\)")
_SCHEMES = frozenset({"http", "https", "ftp", "mailto", "www"})
_COMMANDS = frozenset(
    """
    acute approx ast backslash bar begin big bigg bigl bigr boldsymbol bot bullet cap cases cdot cdots
    circ cline colon cup dag dagger dfrac diamond displaystyle div dot dots ell emptyset end equiv
    exists forall frac ge geq gets gg grave hat hbar hline hspace in infty int iota langle lceil ldots
    le left leftarrow leq lfloor lim limits linebreak ll longrightarrow mapsto mathbb mathbf mathcal
    mathfrak mathit mathop mathrm mathsf mathtt matrix mbox mid mp multicolumn multirow nabla ne neg neq
    newline nolimits not notin operatorname oplus otimes overline overset parallel partial perp phantom
    pm pmatrix prime prod propto qquad quad rangle rceil rfloor right rightarrow scriptstyle setminus
    sim simeq sqrt stackrel star subset subseteq sum supset supseteq tag tabular text textasciitilde
    textbf textgreater textit textless textrm textsuperscript textsubscript texttt thead tilde times to
    top underline underset vdots vec vee wedge widehat widetilde xrightarrow array aligned align split
    bmatrix vmatrix
    """.split()  # noqa: SIM905
)
_GREEK = {
    name: chr(code)
    for name, code in {
        "alpha": 0x3B1, "beta": 0x3B2, "gamma": 0x3B3, "delta": 0x3B4, "epsilon": 0x3B5, "varepsilon": 0x3B5,
        "zeta": 0x3B6, "eta": 0x3B7, "theta": 0x3B8, "vartheta": 0x3B8, "kappa": 0x3BA, "lambda": 0x3BB,
        "mu": 0x3BC, "nu": 0x3BD, "xi": 0x3BE, "pi": 0x3C0, "varpi": 0x3C0, "rho": 0x3C1, "varrho": 0x3C1,
        "sigma": 0x3C3, "varsigma": 0x3C3, "tau": 0x3C4, "upsilon": 0x3C5, "phi": 0x3C6, "varphi": 0x3C6,
        "chi": 0x3C7, "psi": 0x3C8, "omega": 0x3C9,
    }.items()
}  # fmt: skip
_FUNCTIONS = frozenset(
    """
    arg cos cosh cot det dim exp gcd inf ker lim ln log max min mod sin sinh sup tan tanh
    """.split()  # noqa: SIM905
)
# What says how a formula is set and not what it says.
_SETTING = re.compile(
    r"\\(?:begin|end)\{[a-z]*\*?\}(?:\{[lcr|@ ]*\})?|\\[hv]space\*?\{[^{}]*\}|\\\\\[[^\]\\]{0,12}\]|\\tag\*?"
    r"|</?[a-z]{1,6}>"
)


class ModelWords(NamedTuple):
    """The words of a text that a model printed.

    Attributes:
        tokens: In order.
        markup: Which of them are most likely LaTeX commands or ticks: they need no support.
    """

    tokens: list[str]
    markup: frozenset[int] = frozenset()


def folded(text: str) -> str:
    """The text without the differences that are none: once more changes nothing."""
    if text.isascii():
        return text.lower()
    for _ in range(4):
        before, text = text, _folded_once(text)
        if text == before:
            break
    return text


def _folded_once(text: str) -> str:
    text = unicodedata.normalize("NFKC", _BEYOND_ASCII.sub(_without_dropped, text)).casefold()
    if not text.isascii():
        text = _BEYOND_ASCII.sub(_without_marks, unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", text)


def _without_dropped(found: re.Match[str]) -> str:
    return found[0].translate(_DROPPED)


def _without_marks(found: re.Match[str]) -> str:
    return "".join(_plain(char) for char in found[0] if unicodedata.category(char) != "Mn")


def _plain(char: str) -> str:
    """A decimal digit of any script as one of ASCII; any other character as it is."""
    digit = unicodedata.decimal(char, None)
    return char if digit is None else str(digit)


def tokens_of(text: str) -> list[str]:
    """The words and numbers of a text, folded; characters where the script knows no spaces."""
    return tokens_of_folded(folded(text))


def tokens_of_folded(text: str, *, lines: bool = False) -> list[str]:
    """The same of a text that is folded already.

    Args:
        text: Folded.
        lines: Newlines are tokens, too.
    """
    if text.isascii():
        found = (_ASCII_TOKEN_OR_LINE if lines else _ASCII_TOKEN).findall(text)
    else:
        found = (_TOKEN_OR_LINE if lines else _TOKEN).findall(_UNSPACED.sub(_parted, text))
    return [token if token.isalpha() or len(token) < 4 else _number(token) for token in found]


def _parted(found: re.Match[str]) -> str:
    return f" {found[0]} "


def _number(token: str) -> str:
    """Numbers with one kind of decimal point, and without marks between thousands."""
    if token.isdigit():
        return token
    found = _BY_COMMA.fullmatch(token) or _BY_POINT.fullmatch(token)
    if found is not None:
        whole, decimals = _NO_DIGIT.sub("", found[1] or token), found[2]
        return f"{whole}.{decimals}" if decimals else whole
    return _SEPARATOR.sub(".", token)


def words_of_model(text: str) -> ModelWords:
    r"""The words of a plain text that a model printed.

    LaTeX commands that inline formulas leave in it (``\frac``) are marked; Greek letters and names of
    functions are words like others, since files store them so. A link whose text is its address counts once:
    the page shows it once.
    """
    if "](" in text:
        text = _LINK.sub(_shown_of_link, text)
    if "\\" not in text and "[x]" not in text and "[X]" not in text:
        return ModelWords(tokens_of(text))
    tokens: list[str] = []
    markup: set[int] = set()
    position = 0
    for command in _MARKUP.finditer(text):
        tokens += tokens_of(text[position : command.start()])
        position = command.end()
        name = command[1]
        if name is None:
            markup.add(len(tokens))
            tokens.append("x")
        elif name in _GREEK or name.lower() in _GREEK:
            tokens.append(_GREEK[name.lower()])
        else:
            if name in _COMMANDS:
                markup.add(len(tokens))
            tokens += tokens_of(name)
    tokens += tokens_of(text[position:])
    return ModelWords(tokens, frozenset(markup))


def _shown_of_link(found: re.Match[str]) -> str:
    """The text of a link whose address says the same; any other link as it is."""
    shown, address = (
        [token for token in tokens_of(part) if token not in _SCHEMES] for part in (found[1], found[2])
    )
    return found[1] if shown == address else found[0]


def characters_of_formula(latex: str) -> list[str]:
    """The letters and digits that a formula shows, one by one."""
    pieces: list[str] = []
    latex = _SETTING.sub(" ", latex)
    position = 0
    for command in _COMMAND.finditer(latex):
        pieces.append(latex[position : command.start()])
        position = command.end()
        name = command[1]
        if name.lower() in _GREEK:
            pieces.append(_GREEK[name.lower()])
        elif name in _FUNCTIONS:
            pieces.append(name)
    pieces.append(latex[position:])
    return [char for char in folded(" ".join(pieces)) if char.isalnum()]


def is_number(token: str) -> bool:
    """Whether a token is a number, which one wrong digit makes wrong."""
    return token[0].isdigit()


def is_unspaced(token: str) -> bool:
    """Whether a token is one character of a script without spaces between words."""
    return len(token) == 1 and not token.isascii() and _UNSPACED.match(token) is not None


def is_right_to_left(token: str) -> bool:
    """Whether a token is Hebrew, Arabic or of a script like these."""
    return not token.isascii() and _RIGHT_TO_LEFT.search(token) is not None


def is_doubtful(text: str) -> bool:
    """Whether a text of a layer holds characters that its font gives no meaning."""
    return _STRANGE.search(text) is not None
