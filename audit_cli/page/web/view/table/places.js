/*
 * Where the seats stand around a table, clockwise by rising seat, in a grid: wide, with rows above
 * and below and a seat at each end; or narrow, in two columns with the board between them.
 */

/** How many seats stand below, left, above and right of a wide table, by how many there are. */
const WIDE_SIDES = [
  [0, 0, 0, 0],
  [1, 0, 0, 0],
  [1, 0, 1, 0],
  [1, 0, 2, 0],
  [1, 1, 1, 1],
  [1, 1, 2, 1],
  [2, 1, 2, 1],
  [2, 1, 3, 1],
  [3, 1, 3, 1],
  [4, 1, 3, 1],
  [4, 1, 4, 1],
];
const COLUMNS = 24;

/**
 * Place `count` seats (10 at most): a list of {row, column, span, side}, in clockwise order, where
 * `side` is "below", "left", "above" or "right".
 */
export function placeWide(count) {
  const [below, left, above, right] = WIDE_SIDES[count];
  const places = [];
  const enterRow = (many, row, side) => {
    const span = many === 2 ? 8 : 6;
    const start = 1 + (COLUMNS - many * span) / 2;
    for (let at = 0; at < many; at += 1) {
      places.push({row, column: start + at * span, span, side});
    }
  };
  enterRow(below, 3, "below");
  places.reverse();
  if (left > 0) places.push({row: 2, column: 1, span: 5, side: "left"});
  enterRow(above, 1, "above");
  if (right > 0) places.push({row: 2, column: 20, span: 5, side: "right"});
  return places;
}

/** Place `count` seats in two columns; {places, boardRow}: the board takes a row of its own. */
export function placeNarrow(count) {
  const above = Math.floor(count / 2);
  const aboveRows = Math.ceil(above / 2);
  const boardRow = aboveRows + 1;
  const sides = {left: [], right: [], top: [], bottom: []};
  const enterHalf = (many, firstRow, alone) => {
    const rows = Math.ceil(many / 2);
    const isAbove = alone === "top";
    const side = isAbove ? "above" : "below";
    const aloneRow = isAbove ? firstRow : firstRow + rows - 1;
    for (let row = firstRow; row < firstRow + rows; row += 1) {
      if (many % 2 === 1 && row === aloneRow) {
        sides[alone].push({row, column: 1, span: 2, side});
      } else {
        sides.left.push({row, column: 1, span: 1, side});
        sides.right.push({row, column: 2, span: 1, side});
      }
    }
  };
  enterHalf(above, 1, "top");
  enterHalf(count - above, boardRow + 1, "bottom");
  const places = [...sides.bottom, ...sides.left.reverse(), ...sides.top, ...sides.right];
  return {places, boardRow};
}
