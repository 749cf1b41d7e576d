import dataclasses, enum, functools, itertools, math, string, textwrap, unicodedata
from difflib import SequenceMatcher
from fractions import Fraction

class Level(enum.IntEnum):
    NONE = 0
    SOME = 1
    ALL = 2

@dataclasses.dataclass
class Check:
    name: str
    level: Level = Level.NONE

    @property
    def score(self):
        return self.level / Level.ALL

@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

def plain(text):
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))

def grade(transcript, workspace_path):
    checks = [Check("a", Level.ALL), Check("b", Level.SOME), Check("c")]
    scores = {c.name: c.score for c in checks}
    scores["ratio"] = round(SequenceMatcher(None, "quarterly report", "quartely raport").ratio(), 6)
    scores["fib"] = float(fib(90) == 2880067194370816120)
    scores["plain"] = float(plain("Größe é") == "Große e")
    scores["pairs"] = len(list(itertools.combinations(string.ascii_lowercase[:5], 2))) / 10
    scores["third"] = float(Fraction(1, 3) + Fraction(2, 3) == 1)
    scores["log"] = math.log10(1000) / 3
    scores["wrap"] = float(textwrap.dedent("  a\n  b") == "a\nb")
    return scores
