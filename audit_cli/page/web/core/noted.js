/**
 * The lines of the dealer's log: which game came to which stage, at which size and root.
 *
 * A line is canonical JSON, `{"at":MS,"noted":{"game":…,"hand":N,"root":…,"size":N,"stage":…}}`
 * (PROTOCOL.md 5): `root` is that of the game's own log at `size`, just after the entry that the
 * stage names, and `at` is that entry's time. Stages of the whole game have the hand 0.
 */

import {toHex, utf8Bytes} from "./bytes.js";
import {readTranscriptLine, writeCanonical} from "./canonical.js";
import {bytes16Shape, bytes32Shape} from "./entries.js";
import {rootsAt} from "./merkle.js";
import {choiceShape, fieldsShape, integerShape} from "./shapes.js";
import {problem} from "./words.js";

const STAGES_OF_GAME = ["game_opened", "game_closed", "game_revealed"];
const STAGES = [
  "game_opened", "hand_opened", "deck_committed", "hand_void", "game_closed", "game_revealed",
];
/** A tournament's log has the stages of a game. */
const STAGES_OF_TOURNAMENT = new Map([
  ["tournament_opened", "game_opened"], ["tournament_closed", "game_closed"],
]);
const NOTED_LINE_SHAPE = fieldsShape({
  at: integerShape(),
  noted: fieldsShape({
    game: bytes16Shape,
    hand: integerShape(),
    root: bytes32Shape,
    size: integerShape(1),
    stage: choiceShape(...STAGES),
  }),
});

/** What a line (without LF) tells: {noted: {at, game, hand, root, size, stage}} or {wrong}. */
export function parseNoted(bytes) {
  const {value, wrong} = readTranscriptLine(bytes);
  if (wrong !== undefined) {
    return {wrong};
  }
  const misshapen = NOTED_LINE_SHAPE(value);
  if (misshapen !== null) {
    return {wrong: problem(`a line of the dealer's log: it${misshapen}`)};
  }
  const {hand, stage} = value.noted;
  if (STAGES_OF_GAME.includes(stage) !== (hand === 0)) {
    const hint = "stages of the whole game have the hand 0, those of a hand its number";
    const reason = `a line of the dealer's log with stage ${stage} and hand ${hand}`;
    return {wrong: problem(reason, hint)};
  }
  return {noted: {at: value.at, ...value.noted}};
}

/** The canonical text of the line that tells this. */
export function writeNoted({at, game, hand, root, size, stage}) {
  return writeCanonical({at, noted: {game, hand, root, size, stage}});
}

/** The bytes of that line. */
export function notedBytes(noted) {
  return utf8Bytes(writeNoted(noted));
}

/** Which stage of what a line tells of: "hand_opened of hand 3". */
export function nameNoted({hand, stage}) {
  return hand === 0 ? stage : `${stage} of hand ${hand}`;
}

/** One name for each hand and stage, for Maps. */
export function keyOfNoted({hand, stage}) {
  return `${hand} ${stage}`;
}

/**
 * The lines that the dealer's log has to have of a game's covered entries: a Map from
 * `keyOfNoted` to noted.
 */
export async function expectNoted(game) {
  const marks = new Map();
  const toReveal = new Set();
  let closed = false;
  for (const {index, at, kind: logged, body} of game.entries.slice(0, game.covered)) {
    const kind = STAGES_OF_TOURNAMENT.get(logged) ?? logged;
    const put = (hand, stage) => {
      const mark = {at, game: game.game, hand, size: index + 1, stage};
      const key = keyOfNoted(mark);
      // A second one in a transcript is for ORDERED to tell.
      marks.set(key, marks.get(key) ?? mark);
    };
    if (kind === "secret_revealed") {
      toReveal.delete(body.hand);
    } else if (STAGES.includes(kind)) {
      put(body.hand ?? 0, kind);
      if (kind === "hand_opened") {
        toReveal.add(body.hand);
      } else if (kind === "hand_void") {
        toReveal.delete(body.hand);
      }
    }
    closed ||= kind === "game_closed";
    const ends = kind === "game_closed" || kind === "secret_revealed";
    if (ends && closed && toReveal.size === 0) {
      put(0, "game_revealed");
    }
  }
  const roots = await rootsAt(game.tree, [...marks.values()].map(({size}) => size));
  /** @type {[string, any][]} */
  const expected = [...marks].map(([key, mark]) => {
    return [key, {...mark, root: toHex(roots.get(mark.size))}];
  });
  return new Map(expected);
}
