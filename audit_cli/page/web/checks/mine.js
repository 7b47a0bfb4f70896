/**
 * PLAYER-MIXED with a player's record: the randomness of that player is in each of its decks.
 *
 * For each hand that dealt the player in, the logged link is the one that its client sent, and the
 * checkpoint under which it was sent ends with that hand's opening and is of these lines: so the
 * deck was committed to before the dealer knew the link (PROTOCOL.md 10 and 12).
 */

import {toHex} from "../core/bytes.js";
import {rootsAt} from "../core/merkle.js";
import {judgeNote} from "../core/note.js";
import {readRecords} from "../core/records.js";
import {counted, createVoice, thousands} from "../core/voice.js";
import {courseOf} from "./course.js";

const KEPT_AT_ONCE = 256;

/** Judges the records that the auditor gave; all games are told of, also those without a judge. */
export async function checkMine(games, request, tell) {
  const {players, damage} = readRecords(request.records);
  damage.forEach((damaged) => tell.unreadable(damaged));
  for (const [player, records] of players) {
    const voice = createVoice("PLAYER-MIXED", tell);
    let found = 0;
    for (const game of games) {
      voice.begin(game.game);
      found += await compareGame(voice, game, player, records.get(game.game) ?? null);
      voice.end();
    }
    voice.begin(null);
    concludeRecords(voice, player, records, new Set(games.map(({game}) => game)), found);
  }
}

function concludeRecords(voice, player, records, seen, found) {
  for (const game of records.keys()) {
    if (!seen.has(game)) {
      voice.notice(`the record's game ${game} is not in the input`);
    }
  }
  if (found > 0) {
    const decks = counted(found, "deck");
    voice.holds(`the link that the client of ${player} sent is in each of ${decks}`);
  } else {
    voice.unproved(`no deck with a link of the record of ${player}`);
  }
}

/** Compares a record with a game; tells how many decks have the link that it says. */
async function compareGame(voice, game, player, record) {
  for (const reason of record?.refused ?? []) {
    voice.notice(`${player} left the game: ${reason}`);
  }
  const counts = {found: 0, without: 0, unrecorded: 0};
  for (const entry of game.entries.slice(0, game.covered)) {
    compareEntry(voice, courseOf(game), entry, {player, record, counts});
  }
  if (!game.checkpoints.some(({holds}) => holds)) {
    return 0;
  }
  if (record === null && counts.unrecorded > 0) {
    const hands = `${counted(counts.unrecorded, "hand")} dealt ${player} in`;
    voice.unproved(`${hands}, and there is no record of the game`);
  } else if (record !== null) {
    await judgeKept(voice, game, record);
  }
  if (counts.without > 0) {
    voice.unproved(`${counted(counts.without, "hand")} dealt ${player} in without its link`);
  }
  return counts.found;
}

function compareEntry(voice, course, entry, mine) {
  const {kind, index} = entry;
  const hand = kind === "hand_opened" ? course.handAt[index + 1] : course.handAt[index];
  const isVoid = kind === "hand_void" && hand?.deck === null;
  if (hand === null || !(isVoid || kind === "hand_opened" || kind === "deck_committed")) {
    return;
  }
  const [seat] = [...hand.players].find(([, dealt]) => dealt.player === mine.player) ?? [null];
  if (seat === null) {
    return;
  }
  if (kind === "hand_opened") {
    judgeSentUnder(voice, entry, hand, mine.record);
  } else if (mine.record === null) {
    mine.counts.unrecorded += isVoid ? 0 : 1;
  } else {
    compareLink(voice, entry, {hand, seat, isVoid}, mine);
  }
}

/** The checkpoint under which a link was sent ends with the hand's opening. */
function judgeSentUnder(voice, entry, hand, record) {
  const kept = record?.links.get(hand.number)?.kept;
  const size = entry.index + 1;
  if (kept !== undefined && kept.checkpoint.size !== size) {
    const text = "the link was sent under a checkpoint that does not end with the hand's opening";
    const found = `size ${kept.checkpoint.size}, line ${kept.line} of the record`;
    voice.broken(text, entry, hand.number, `size ${size}`, found);
  }
}

/** Compares the link in a deck, or in a void before its deck, with the one that was sent. */
function compareLink(voice, entry, {hand, seat, isVoid}, {player, record, counts}) {
  const logged = entry.body.links.findLast((item) => item.seat === seat)?.link ?? null;
  const sent = record.links.get(hand.number)?.link ?? null;
  if (logged !== null && logged !== sent) {
    const text = `the logged link of ${player} is not of its record`;
    voice.broken(text, entry, hand.number, sent ?? "no link", logged);
  } else if (logged !== null) {
    counts.found += isVoid ? 0 : 1;
  } else if (sent === null) {
    counts.without += isVoid ? 0 : 1;
  } else if (!isVoid) {
    const text = `the link that ${player} sent is not in the deck`;
    voice.broken(text, entry, hand.number, sent, "no link");
  } else if (hand.players.get(seat).anchor !== null) {
    const text = `hand ${hand.number} is void without the link that ${player} sent`;
    voice.notice(`${text}; who is to blame can not be proved`);
  }
}

/** All that the client kept is of this history. */
async function judgeKept(voice, game, {kept, links}) {
  const all = [...kept, ...[...links.values()].map((sent) => sent.kept)];
  const sizes = all.map(({checkpoint}) => checkpoint.size);
  const roots = await rootsAt(game.tree, sizes.filter((size) => size <= game.covered));
  for (let from = 0; from < all.length; from += KEPT_AT_ONCE) {
    const batch = all.slice(from, from + KEPT_AT_ONCE);
    const verdicts = await Promise.all(batch.map(({note}) => judgeNote(note, game.judge)));
    batch.forEach(({line, checkpoint}, at) => {
      const where = `the checkpoint in line ${line} of the record`;
      if (verdicts[at] !== "good" || checkpoint.origin !== game.logOrigin) {
        voice.unproved(`${where} has no good signature of ${game.judge.shown}`);
      } else if (checkpoint.size > game.covered) {
        const size = thousands(checkpoint.size);
        voice.unproved(`${where} is of size ${size}; the signed entries end before`);
      } else if (toHex(roots.get(checkpoint.size)) !== checkpoint.root) {
        const text = `${where} is of another history, signed by ${game.judge.shown}`;
        const wanted = `root ${toHex(roots.get(checkpoint.size))}, as of these entries`;
        voice.broken(text, null, null, wanted, `root ${checkpoint.root}`);
      }
    });
  }
}
