/*
 * The deck's tree of 52 leaves, drawn from the root at the top down to one card: each bar is a
 * hash over the positions that it spans (RFC 6962 2.1). The words of the proof say the same.
 */

import {draw} from "../dom.js";

const LEAVES = 52;
const BAR_HEIGHT = 16;
const BAR_GAP = 4;
const TREE_WIDTH = 520;

/** Draw the way from the root to `position`, with the neighbours that the path has. */
export function drawTree(position) {
  const rows = rowsTo(position);
  const height = rows.length * (BAR_HEIGHT + BAR_GAP) - BAR_GAP;
  const bar = ({from, to}, row, kind) =>
    draw("rect", {
      class: `tree-${kind}`,
      x: scaled(from) + 1,
      y: row * (BAR_HEIGHT + BAR_GAP),
      width: scaled(to - from) - 2,
      height: BAR_HEIGHT,
      rx: 3,
    });
  return draw(
    "svg",
    {"class": "tree", "viewBox": `0 0 ${TREE_WIDTH} ${height}`, "aria-hidden": "true"},
    rows.map(({own, neighbour}, row) => [
      neighbour !== null && bar(neighbour, row, "neighbour"),
      bar(own, row, row === rows.length - 1 ? "leaf" : "own"),
    ]),
  );
}

function scaled(leaves) {
  return (leaves * TREE_WIDTH) / LEAVES;
}

/** The spans on the way down: {own, neighbour}, each {from, to}; the root has no neighbour. */
function rowsTo(position) {
  const rows = [{own: {from: 0, to: LEAVES}, neighbour: null}];
  let {from, to} = rows[0].own;
  while (to - from > 1) {
    let half = 1;
    while (2 * half < to - from) half *= 2;
    const left = {from, to: from + half};
    const right = {from: from + half, to};
    const isLeft = position < left.to;
    const own = isLeft ? left : right;
    rows.push({own, neighbour: isLeft ? right : left});
    ({from, to} = own);
  }
  return rows;
}
