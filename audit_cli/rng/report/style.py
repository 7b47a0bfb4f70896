"""How the report looks: on a screen in light or dark, and on paper in black."""

from typing import Final

STYLE: Final = """
:root {
  color-scheme: light dark;
  --ink: #1b1f24; --soft: #57606a; --line: #d5dae0; --paper: #ffffff; --tint: #f4f6f8;
  --observed: #1f5fa8; --expected: #b5540a; --good: #1a6e3c; --bad: #b3261e; --open: #7a5a00;
  --o1: #f9dcc4; --o2: #f2b183; --o3: #dd7b3b; --o4: #a94a0c;
  --u1: #d3e3f3; --u2: #9dc0e2; --u3: #5a92cb; --u4: #1f5fa8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6e9ed; --soft: #a3adb8; --line: #3a424c; --paper: #14181d; --tint: #1d232a;
    --observed: #7fb3ea; --expected: #f0a35e; --good: #6fd197; --bad: #ff8f85; --open: #e3c15c;
    --o1: #4a2f1c; --o2: #85491c; --o3: #c46f28; --o4: #ffb271;
    --u1: #1d3147; --u2: #2b5580; --u3: #4485c2; --u4: #9ccbff;
  }
}
* { box-sizing: border-box; }
html { font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 4rem; color: var(--ink);
  background: var(--paper); overflow-wrap: break-word; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem; }
h2 { font-size: 1.25rem; margin: 2.6rem 0 .6rem; padding-top: .6rem;
  border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.6rem 0 .3rem; }
p, ul { margin: .5rem 0; max-width: 46rem; }
a { color: var(--observed); }
code, .hash { font: .86em/1.4 ui-monospace, "SF Mono", Menlo, Consolas, monospace;
  overflow-wrap: anywhere; }
pre { background: var(--tint); padding: .7rem .9rem; overflow-x: auto; border-radius: 4px; }
.soft { color: var(--soft); }
.verdict { margin: 1.2rem 0; padding: .9rem 1.1rem; border-left: .4rem solid var(--soft);
  background: var(--tint); }
.verdict strong { font-size: 1.2rem; display: block; }
.verdict.good { border-color: var(--good); } .verdict.good strong { color: var(--good); }
.verdict.bad { border-color: var(--bad); } .verdict.bad strong { color: var(--bad); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .87rem; margin: .6rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0;
  border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--soft); }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.k { white-space: nowrap; } th.w { width: 28%; } th.m { width: 15%; }
td.a { overflow-wrap: anywhere; }
.good { color: var(--good); } .bad { color: var(--bad); } .open { color: var(--open); }
dl.facts { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.2rem;
  margin: .8rem 0; font-size: .92rem; }
dl.facts dt { color: var(--soft); } dl.facts dd { margin: 0; min-width: 0; }
.row { display: flex; flex-wrap: wrap; gap: 1.2rem 2rem; align-items: flex-start; }
.many { display: grid; grid-template-columns: repeat(auto-fill, minmax(92px, 1fr)); gap: .8rem; }
.pairs { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr));
  gap: 1rem 2rem; }
.pairs h3 { margin-top: .6rem; font-size: .92rem; } .pairs p { font-size: .82rem; }
figure { margin: .6rem 0; max-width: 100%; } figcaption { font-size: .82rem; color: var(--soft); }
.many figure { margin: 0; } .many figcaption { text-align: center; }
svg { max-width: 100%; height: auto; font: 11px system-ui, sans-serif; }
svg text { fill: var(--soft); }
svg .grid { stroke: var(--line); fill: none; } svg .frame { stroke: var(--line); fill: none; }
svg .band { fill: var(--tint); } svg .calm { fill: var(--tint); }
svg .observed { stroke: var(--observed); fill: none; stroke-width: 1.6; }
svg .expected { stroke: var(--expected); fill: none; stroke-width: 1.2; stroke-dasharray: 4 3; }
svg .bar { fill: var(--observed); opacity: .75; }
svg .mark { stroke: var(--expected); stroke-width: 2.4; }
svg .stem { stroke: var(--soft); } svg .dot { fill: var(--observed); }
svg .limit { stroke: var(--bad); stroke-width: 1.6; stroke-dasharray: 5 3; }
svg .here { stroke: var(--observed); stroke-width: 2.4; }
svg .edge { stroke: var(--line); }
svg .over1 { fill: var(--o1); } svg .over2 { fill: var(--o2); } svg .over3 { fill: var(--o3); }
svg .over4 { fill: var(--o4); } svg .under1 { fill: var(--u1); } svg .under2 { fill: var(--u2); }
svg .under3 { fill: var(--u3); } svg .under4 { fill: var(--u4); }
@media print {
  :root { color-scheme: light; --ink: #000; --soft: #444; --line: #bbb; --paper: #fff;
    --tint: #f2f2f2; --observed: #1f5fa8; --expected: #b5540a; --good: #14532d; --bad: #8c1d18;
    --open: #5c4400; --o1: #f9dcc4; --o2: #f2b183; --o3: #dd7b3b; --o4: #a94a0c;
    --u1: #d3e3f3; --u2: #9dc0e2; --u3: #5a92cb; --u4: #1f5fa8; }
  html { font-size: 10.5pt; }
  body { max-width: none; padding: 0; }
  .pairs { grid-template-columns: 1fr 1fr; }
  h2, h3 { break-after: avoid; } figure, tr, .verdict, .keep { break-inside: avoid; }
  table { font-size: 8pt; } .scroll { overflow: visible; }
  a { color: inherit; text-decoration: none; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
@page { size: A4; margin: 16mm 14mm; }
"""
