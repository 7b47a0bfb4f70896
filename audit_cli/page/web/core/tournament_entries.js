/**
 * The kinds of entries of a tournament's log (PROTOCOL.md 14.4), as far as the page reads them:
 * what names the tournament and its tables. What the others say is for `cutcard-audit verify` to
 * judge.
 */

import {bytes16Shape} from "./entries.js";
import {choiceShape, integerShape, isObject, originShape, textShape} from "./shapes.js";

const OTHER_KINDS = [
  "registered", "withdrawn", "started", "drawn", "seated", "moved", "table_broken", "level_begun",
  "break_begun", "hand_started", "hand_finished", "busted", "colored_up", "reentered", "rebought",
  "added_on", "taken_over", "disqualified", "registration_closed", "hand_for_hand_begun",
  "hand_for_hand_ended", "deal_agreed", "placed", "stopped", "resumed",
];
const tableGame = {table: integerShape(1), game: bytes16Shape};

/** An object that has these fields at least. */
function atLeastShape(shapes) {
  const wanted = Object.entries(shapes);
  return (value) => {
    if (!isObject(value)) {
      return " is no object";
    }
    for (const [name, shape] of wanted) {
      const wrong = Object.hasOwn(value, name) ? shape(value[name]) : " is not there";
      if (wrong !== null) {
        return `.${name}${wrong}`;
      }
    }
    return null;
  };
}

/**
 * The shape of the fields of every kind of entry; other kinds are not of this format.
 *
 * @type {Map<string, (value: any) => any>}
 */
export const TOURNAMENT_SHAPES = new Map([
  ["tournament_opened", atLeastShape({
    suite: choiceShape("cutcard/v1"),
    origin: originShape,
    tournament: bytes16Shape,
    structure: atLeastShape({name: textShape}),
  })],
  ["table_opened", atLeastShape(tableGame)],
  ["table_closed", atLeastShape(tableGame)],
  ["tournament_closed", atLeastShape({
    reason: choiceShape("finished", "cancelled", "restored"),
  })],
  ...OTHER_KINDS.map((kind) => /** @type {[string, any]} */ ([kind, atLeastShape({})])),
]);
