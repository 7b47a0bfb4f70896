/**
 * How a check speaks: findings on one promise, each with its place, and not without end.
 *
 * Past `MAX_BROKEN` broken places of one promise in one game the rest is counted, not listed.
 */

const MAX_BROKEN = 100;

/** A number as people read it: 25,000. */
export function thousands(number) {
  return String(number).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** A number with its noun: "1 hand", "1,000 hands", "2 entries". */
export function counted(number, noun) {
  const plural = noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${thousands(number)} ${number === 1 ? noun : plural}`;
}

/**
 * One promise's voice. `begin(game)` names the game (32 hex digits) that is spoken of from then on;
 * an `entry` is an Entry or null, `expected` and `found` are put into words as they are.
 */
export function createVoice(promise, tell) {
  let game = null;
  let broken = 0;

  function say(verdict, text, place) {
    tell.finding({
      promise, verdict, text, game, hand: null, entry: null, line: null, expected: null,
      found: null, evidence: [], ...place,
    });
  }

  function placed(entry, hand) {
    return {hand: hand ?? null, entry: entry?.index ?? null, line: entry?.line ?? null};
  }

  function sayBroken(text, place) {
    broken += 1;
    if (broken <= MAX_BROKEN) {
      say("broken", text, place);
    }
  }

  return {
    /** Speak of this game from now on. */
    begin(name) {
      game = name;
      broken = 0;
    },
    /** The promise is broken at an entry. */
    broken(text, entry = null, hand = null, expected = null, found = null) {
      const differ = {
        expected: expected === null ? null : String(expected),
        found: found === null ? null : String(found),
      };
      sayBroken(text, {...placed(entry, hand), ...differ});
    },
    /** The promise is broken at a line of the file that is no entry. */
    brokenAt(text, line, hand = null) {
      sayBroken(text, {line, hand});
    },
    /** The promise is not established in this game. */
    unproved(text, entry = null, hand = null) {
      say("not established", text, placed(entry, hand));
    },
    /** How many more places there were than were listed; once, when the game is over. */
    end() {
      if (broken > MAX_BROKEN) {
        const more = `${thousands(broken - MAX_BROKEN)} more places are broken and not listed`;
        say("broken", more, {});
      }
    },
    /** Nothing speaks against the promise: it holds where no worse was said. */
    holds(text, ...evidence) {
      say("holds", text, {game: null, evidence});
    },
    /** The promise has no place in these games. */
    notApplicable(text) {
      say("not applicable", text, {game: null});
    },
    /** Something of this game to know that is no verdict. */
    notice(text, ...details) {
      tell.notice({text, game, details});
    },
  };
}
