/**
 * BOUND: every revealed secret opens its hand's commitment, and none serves two hands.
 *
 * A secret is missing when a later hand's is there; secrets that are not there yet at the end are
 * not established (PROTOCOL.md 12).
 */

import {toHex} from "../core/bytes.js";
import {sha256All} from "../core/hashing.js";
import {commitmentInput} from "../core/mixing.js";
import {counted, createVoice} from "../core/voice.js";
import {courseOf} from "./course.js";

/** Judges the secrets of all games; see `core/audit.js` for the arguments. */
export async function checkBound(games, request, tell) {
  const voice = createVoice("BOUND", tell);
  // Over all games of the input: no secret serves two hands of a chain either.
  const served = new Map();
  let hands = 0;
  let secrets = 0;
  for (const game of games) {
    voice.begin(game.game);
    const {shown, waiting, opened, latest} = matchSecrets(game);
    hands += opened;
    secrets += shown.filter(({opening}) => opening !== undefined).length;
    const inputs = shown.map(({hand, secret}) => commitmentInput(game, hand, secret));
    const commitments = await sha256All(inputs);
    shown.forEach((one, at) => judgeSecret(voice, game.game, one, toHex(commitments[at]), served));
    tellWaiting(voice, waiting, latest, courseOf(game).firstDamage !== Infinity);
    voice.end();
  }
  const opened = `${counted(secrets, "secret")} that open their commitments`;
  voice.holds(`${counted(hands, "hand")}, ${opened}`);
}

/** Each secret that is shown, with the opening that it belongs to, and the openings left over. */
function matchSecrets(game) {
  const waiting = new Map();
  const shown = [];
  let opened = 0;
  let latest = 0;
  for (const entry of game.entries.slice(0, game.covered)) {
    const {hand, secret} = entry.body ?? {};
    if (entry.kind === "hand_opened") {
      opened += 1;
      waiting.set(hand, entry);
    } else if (entry.kind === "hand_void" || entry.kind === "secret_revealed") {
      // COMPLETE asks for the secret of a void.
      if (secret) {
        shown.push({entry, hand, secret, opening: waiting.get(hand)});
      }
      waiting.delete(hand);
      latest = entry.kind === "secret_revealed" ? Math.max(latest, hand) : latest;
    }
  }
  return {shown, waiting, opened, latest};
}

function judgeSecret(voice, game, {entry, hand, secret, opening}, commitment, served) {
  const first = served.get(secret);
  if (first === undefined) {
    served.set(secret, {game, hand});
  } else if (first.game !== game || first.hand !== hand) {
    const found = `the secret of hand ${first.hand} of game ${first.game}`;
    voice.broken("one secret serves two hands", entry, hand, "a fresh secret", found);
  }
  if (opening !== undefined && opening.body.commitment !== commitment) {
    const wanted = `the commitment ${opening.body.commitment}, logged at entry ${opening.index}`;
    const text = "a secret does not open the commitment of its hand";
    voice.broken(text, entry, hand, wanted, `a secret of commitment ${commitment}`);
  }
}

function tellWaiting(voice, waiting, latest, isDamaged) {
  let absent = 0;
  for (const [hand, opening] of waiting) {
    if (hand < latest && !isDamaged) {
      voice.broken("the hand's secret is missing, and a later hand's is there", opening, hand);
    } else {
      absent += 1;
    }
  }
  if (absent > 0) {
    voice.unproved(`${counted(absent, "secret")} not yet revealed`);
  }
}
