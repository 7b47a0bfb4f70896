/**
 * BEACON-MIXED and WITNESSED, as far as a page without any network can tell.
 *
 * A beacon's round is held to the opening's time and its randomness to the hash of its signature
 * (PROTOCOL.md 2); whether the network made that signature is left open. No policy of witnesses
 * is known here.
 */

import {fromHex, toHex} from "../core/bytes.js";
import {sha256} from "../core/hashing.js";
import {counted, createVoice} from "../core/voice.js";

const QUICKNET_CHAIN = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971";
const QUICKNET_GENESIS_MS = 1_692_803_367_000;
const QUICKNET_PERIOD_MS = 3_000;
const BEACON_LEAD_MS = 6_000;

/** Report on BEACON-MIXED and WITNESSED over all games. */
export async function checkOthers(games, request, tell) {
  const beacon = createVoice("BEACON-MIXED", tell);
  let named = false;
  let drawn = 0;
  for (const game of games) {
    beacon.begin(game.game);
    const seen = await judgeRounds(game, beacon);
    named ||= seen.named;
    drawn += seen.drawn;
    beacon.end();
  }
  if (!named) {
    beacon.notApplicable("the rules name no beacon");
  } else if (drawn === 0) {
    beacon.unproved("the rules name a beacon, and no deck was committed");
  }
  const witnessed = createVoice("WITNESSED", tell);
  witnessed.notApplicable("no policy of witnesses is given");
}

async function judgeRounds({entries, covered}, voice) {
  const seen = {named: false, drawn: 0};
  const left = {chain: null, unverified: 0, unopened: 0};
  let chain = null;
  let openedAt = null;
  for (const entry of entries.slice(0, covered)) {
    const {kind, body, at} = entry;
    if (kind === "game_opened") {
      chain = body.rules.beacon?.chain ?? null;
      seen.named ||= chain !== null;
    } else if (kind === "hand_opened") {
      openedAt = at;
    } else if (kind === "hand_ended" || kind === "hand_void") {
      openedAt = null;
    } else if (kind === "deck_committed" && (chain === null) !== (body.beacon === undefined)) {
      seen.named = true;
      const text = "a deck and its rules disagree about a beacon";
      const words = [chain, body.beacon ?? null].map((one) => {
        return one === null ? "no round" : "a round";
      });
      voice.broken(text, entry, body.hand, ...words);
    } else if (kind === "deck_committed" && chain !== null) {
      seen.drawn += 1;
      await judgeRound(entry, chain, openedAt, voice, left);
    }
  }
  if (left.chain !== null) {
    const unknown = `nothing is known of the beacon ${left.chain}`;
    voice.unproved(`${unknown}: cutcard-audit verify can be told`);
  }
  if (left.unverified > 0) {
    const signatures = counted(left.unverified, "signature");
    voice.unproved(`${signatures} of rounds can not be checked here: cutcard-audit verify can`);
  }
  if (left.unopened > 0) {
    const rounds = counted(left.unopened, "round");
    voice.unproved(`${rounds} of hands whose opening can not be read`);
  }
  return seen;
}

async function judgeRound(entry, chain, openedAt, voice, left) {
  const {hand, beacon} = entry.body;
  const randomness = toHex(await sha256(fromHex(beacon.signature)));
  if (beacon.randomness !== randomness) {
    const text = "the randomness is not the hash of the round's signature";
    voice.broken(text, entry, hand, randomness, beacon.randomness);
    return;
  }
  if (chain !== QUICKNET_CHAIN) {
    left.chain = chain;
    return;
  }
  if (openedAt === null) {
    left.unopened += 1;
    return;
  }
  const due = roundOfQuicknet(openedAt);
  if (beacon.round !== due) {
    const text = "the round is not the one that the opening asks for";
    voice.broken(text, entry, hand, `round ${due}`, `round ${beacon.round}`);
    return;
  }
  left.unverified += 1;
}

/** The first round of quicknet that is due six seconds after an opening (in ms), or later. */
function roundOfQuicknet(openedAt) {
  const since = openedAt - (QUICKNET_GENESIS_MS - BEACON_LEAD_MS);
  const over = since % QUICKNET_PERIOD_MS;
  const whole = (since - over) / QUICKNET_PERIOD_MS;
  return Math.max(1, whole + (over > 0 ? 2 : 1));
}
