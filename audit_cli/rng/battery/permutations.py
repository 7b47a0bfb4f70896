"""How many permutations there are of each kind: exact laws of S5 to S12, as whole numbers.

Each function returns a tuple whose cell k is the number of permutations of 0 ... n - 1 with k of
what it counts; the cells add up to n!.
"""

from __future__ import annotations

from functools import cache
from math import comb, factorial
from typing import Final


@cache
def count_fixed(n: int) -> tuple[int, ...]:
    """Return the permutations by fixed points: rencontres numbers."""
    derangements = [1]
    for size in range(1, n + 1):
        derangements.append(size * derangements[-1] + (-1) ** size)
    return tuple(comb(n, k) * derangements[n - k] for k in range(n + 1))


@cache
def count_cycles(n: int) -> tuple[int, ...]:
    """Return the permutations by cycles: unsigned Stirling numbers of the first kind."""
    row = [1]
    for size in range(n):
        # A new element makes a cycle of its own, or goes behind one of `size` others.
        row = [
            size * (row[k] if k < len(row) else 0) + (row[k - 1] if k else 0)
            for k in range(len(row) + 1)
        ]
    return tuple(row)


@cache
def count_inversions(n: int) -> tuple[int, ...]:
    """Return the permutations by inversions: Mahonian numbers."""
    row = [1]
    for size in range(2, n + 1):
        # The new greatest element stands before 0 ... size - 1 of the others.
        longer = [0] * (len(row) + size - 1)
        window = 0
        for k in range(len(longer)):
            window += row[k] if k < len(row) else 0
            window -= row[k - size] if k >= size else 0
            longer[k] = window
        row = longer
    return tuple(row)


@cache
def count_descents(n: int) -> tuple[int, ...]:
    """Return the permutations by descents: Eulerian numbers, n cells."""
    row = [1]
    for size in range(2, n + 1):
        row = [
            (k + 1) * (row[k] if k < len(row) else 0) + (size - k) * (row[k - 1] if k else 0)
            for k in range(size)
        ]
    return tuple(row)


@cache
def count_rising(n: int) -> tuple[int, ...]:
    """Return the permutations by rising sequences: one more than the inverse's descents."""
    return (0, *count_descents(n))


@cache
def count_runs(n: int) -> tuple[int, ...]:
    """Return the permutations by runs up and down (n >= 2), n cells (Andre's recurrence)."""
    row = [0, 2]
    for size in range(3, n + 1):
        row = [
            (k * row[k] if k < len(row) else 0)
            + (2 * row[k - 1] if k >= 1 else 0)
            + ((size - k) * row[k - 2] if k >= 2 else 0)
            for k in range(size)
        ]
    return tuple(row)


@cache
def count_increasing(n: int) -> tuple[int, ...]:
    """Return the permutations by the length of their longest increasing subsequence.

    By Robinson and Schensted a permutation is a pair of standard tableaux of one shape, whose first
    row is as long as that subsequence; a shape has n! / (product of hooks) tableaux. So cell k is
    the sum of the squares of that over the partitions of n whose greatest part is k.
    """
    if n == len(_INCREASING_52) - 1:
        return _INCREASING_52
    cells = [0] * (n + 1)
    whole = factorial(n)
    for parts in _partitions(n, n):
        cells[parts[0] if parts else 0] += (whole // _hooks(parts)) ** 2
    return tuple(cells)


def _partitions(n: int, greatest: int) -> list[tuple[int, ...]]:
    if n == 0:
        return [()]
    return [
        (part, *rest)
        for part in range(min(n, greatest), 0, -1)
        for rest in _partitions(n - part, part)
    ]


def _hooks(parts: tuple[int, ...]) -> int:
    """Return the product of all hook lengths of a shape (Frame, Robinson and Thrall 1954)."""
    heights = [sum(part > column for part in parts) for column in range(parts[0] if parts else 0)]
    product = 1
    for row, part in enumerate(parts):
        for column in range(part):
            product *= part - column + heights[column] - row - 1
    return product


#: `count_increasing(52)`: there are 281,589 shapes, so these were worked out once and are kept;
#: the tests work them out again.
_INCREASING_52: Final = (
    0,
    1,
    29869166945772625950142417511,
    14361624678910154594576010616006990368495743,
    11163800149167922644844439353688236270618650367355161,
    5809558563266858475813892204118213716224490225439969039064,
    33426744482427432473473117074242282384850635533883864453824792,
    10048766118913148398855860283063095529843484993869859022054530720,
    404913568135362403788540620915450135685197556461392734296109128048,
    3960141958006169642982172624144380916198025130482839333173576653476,
    13841428853369864483328058491621866401809079805559955526389811783884,
    22553145017538662798241405881465920600464435601263450130312142542292,
    20679091998084434532887177143733783776210118059922008851274848295100,
    12171287929333438688365287028163160279737044103592340159870655982958,
    5030398176125718897063833110069134829841986191646466708481119588996,
    1551193482838222706111193375645551248999001529494977095887911292054,
    372073479179545772459796982271992992899066721113406684341298518012,
    71508502297142285406828085414951992870080466885974928431591586270,
    11255020968990148123456737254363042680891534000966147616661396528,
    1475150157994701421779070460066571732051809442331592976670249866,
    163118736125104520083277965789227060086955250167474124572283044,
    15377811120491980256837649813959083530846896139457921102560572,
    1246543072506707759359172491911821710177233943350298102944700,
    87495944293356000726067592219166963135297383416425125803628,
    5348890217614584376306356550610693771972308220692124155244,
    286180233962273704702252713228104560680243065227846932644,
    13454535862645981253531840491925507864307815066434238148,
    557703550378613757633780701654838036891303952013196948,
    20437788006824471071449930452260296071365774608848052,
    663614994034568161559737264677809724369322170101982,
    19124602535068896143746910652053506511848026421582,
    489784018218280236339150367787251281524354208582,
    11155861455923667248913083103592194724115136982,
    226073693414078081306678684120714435787496362,
    4075847512145076614344773913546794332761402,
    65340682211794529203128380549048416270002,
    930501111456015870673854197482350292002,
    11753369942338315351588179476741198652,
    131405912684031336595864654611644892,
    1296833608963035919952389495855852,
    11257656520942605919980789925452,
    85582802981551985619570758452,
    566622260521360980208824852,
    3244525959936460537687012,
    15927556133096501980932,
    66285414072510649407,
    230471594871352407,
    656548958150307,
    1491366588427,
    2595799701,
    3248701,
    2601,
    1,
)
