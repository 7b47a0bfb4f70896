/**
 * CONSISTENT by the dealer's log: what its lines tell of these games (PROTOCOL.md 5 and 12).
 *
 * Lines come from the file's own `dealer_log` lines and from `tlog-proof` files, each under a
 * checkpoint of the dealer's log with the key's signature and a path to it. A line that tells
 * another root, size or time, or of an entry that these are not, breaks CONSISTENT; one of entries
 * behind those of the file breaks COMPLETE where the file has the whole game, and leaves it open
 * where not. What is not so proved tells nothing.
 */

import {fromHex, toHex, utf8Bytes} from "../core/bytes.js";
import {parseDealerCheckpoint} from "../core/checkpoint.js";
import {checkProofLeaf, findProvedLine} from "../core/logproof.js";
import {leafHash, rootAt} from "../core/merkle.js";
import {judgeNote} from "../core/note.js";
import {expectNoted, keyOfNoted, nameNoted, parseNoted, writeNoted} from "../core/noted.js";
import {counted, thousands} from "../core/voice.js";
import {printable} from "../core/words.js";

const MAX_LISTED_LINES = 20;
const LINES_AT_ONCE = 64;

/**
 * Compare what files and proofs tell of each game; `own` are notes from outside of dealers' logs.
 *
 * Says what breaks or is open, and what holds of the dealer's log.
 */
export async function checkLogged(games, {proofs, own}, tell) {
  const notes = keepNotes(tell);
  const used = new Set();
  let vouched = 0;
  const logged = [];
  for (const game of games.filter(({covered}) => covered > 0)) {
    const extras = game.extras.filter(({kind}) => kind === "dealer_log");
    if (extras.length + proofs.length + own.length > 0) {
      const state = await gatherLogged(game, tell);
      logged.push(game);
      for (const extra of extras) {
        await takeExtra(state, extra, notes);
      }
      for (const proof of proofs) {
        vouched += await takeProof(state, proof, notes, used);
      }
    }
  }
  for (const {source} of proofs.filter((one) => !used.has(one))) {
    tell.warning(`the proof ${source} is ignored: it is of no line of these games`);
  }
  const taken = await takeNotes(logged, own, notes, tell);
  concludeLogged({vouched, proofs, taken, notes}, tell);
}

async function gatherLogged(game, tell) {
  const expected = await expectNoted(game);
  const revealed = keyOfNoted({hand: 0, stage: "game_revealed"});
  const whole = expected.has(revealed) && game.covered === game.entries.length;
  return {game, tell, expected, whole, opened: false, broken: 0};
}

/** Keeps the checkpoints of dealers' logs whose signature holds, and tells where two differ. */
function keepNotes(tell) {
  const kept = new Map();
  const notes = {forked: false, agreeing: 0, take: takeOne};

  /** Whether a checkpoint is of the log of the game's dealer under the game's key. */
  async function takeOne({origin, judge}, {note, checkpoint, text, source}) {
    if (checkpoint.origin !== origin || checkpoint.extensions.length > 0) {
      return false;
    }
    if ((await judgeNote(note, judge)) !== "good") {
      return false;
    }
    const place = JSON.stringify([origin, judge.text, String(checkpoint.size)]);
    const before = kept.get(place);
    if (before === undefined) {
      kept.set(place, {checkpoint, text, source});
    } else if (before.checkpoint.root !== checkpoint.root) {
      notes.forked = true;
      tellForkedLog(judge, before, {checkpoint, text, source}, tell);
    } else if (before.source !== source) {
      notes.agreeing += 1;
    }
    return true;
  }

  return notes;
}

function tellForkedLog(judge, one, other, tell) {
  const {origin, size, root} = one.checkpoint;
  const notes = [one.text, other.text];
  tell.fork({log: origin, key: judge.text, notes, leaves: []});
  sayOfLog(tell, "broken", {
    text: `${judge.shown} signed two histories of the dealer's log at size ${thousands(size)}`,
    expected: `root ${other.checkpoint.root} (${other.source})`,
    found: `root ${root} (${one.source})`,
  });
}

function sayOfLog(tell, verdict, said) {
  tell.finding({
    promise: "CONSISTENT", verdict, game: null, hand: null, entry: null, line: null,
    expected: null, found: null, evidence: [], ...said,
  });
}

async function takeExtra(state, {line, body}, notes) {
  const {note, checkpoint} = parseDealerCheckpoint(body.checkpoint);
  const source = `line ${thousands(line)}`;
  if (!(await notes.take(state.game, {note, checkpoint, text: body.checkpoint, source}))) {
    return;
  }
  for (let from = 0; from < body.lines.length; from += LINES_AT_ONCE) {
    const batch = body.lines.slice(from, from + LINES_AT_ONCE).map(({index, line: text, proof}) => {
      return {bytes: utf8Bytes(text), proof: {index, path: proof.map(fromHex), checkpoint}};
    });
    const wrong = await Promise.all(
      batch.map(async ({bytes, proof}) => checkProofLeaf(proof, await leafHash(bytes))),
    );
    for (const [at, {bytes, proof}] of batch.entries()) {
      if (wrong[at] === null) {
        await compareLine(state, {source, line, bytes, proof, noteText: body.checkpoint});
      }
    }
  }
}

async function takeProof(state, given, notes, used) {
  const {source, proof} = given;
  const bytes = await findProvedLine(proof, state.game, state.expected);
  if (bytes === null) {
    return 0;
  }
  used.add(given);
  const {note, checkpoint, noteText} = proof;
  if (!(await notes.take(state.game, {note, checkpoint, text: noteText, source}))) {
    return 0;
  }
  return compareLine(state, {source, line: null, bytes, proof, noteText});
}

/** Compares a proved line with the entries of its game; 1 where it agrees, 0 where not. */
async function compareLine(state, evidence) {
  const {game, expected, whole, tell} = state;
  const {noted, wrong} = parseNoted(evidence.bytes);
  if (wrong !== undefined) {
    const text = `a line of the dealer's log is not of its format: ${wrong.reason}`;
    await breakLogged(state, text, evidence, [null, printable(showBytes(evidence.bytes), 200)]);
    return 0;
  }
  if (noted.game !== game.game) {
    return 0;
  }
  const own = expected.get(keyOfNoted(noted)) ?? null;
  if (own !== null && writeNoted(own) === writeNoted(noted)) {
    return 1;
  }
  const name = nameNoted(noted);
  const say = (promise, verdict, text) => tell.finding({
    promise, verdict, text, game: game.game, hand: noted.hand || null, entry: null,
    line: verdict === "broken" ? evidence.line : null, expected: null, found: null, evidence: [],
  });
  if (own === null && noted.size > game.covered && whole) {
    const text = `the dealer's log has ${name} of this game, behind its end`;
    say("COMPLETE", "broken", text);
    await breakLogged(state, text, evidence, [null, placeNoted(noted)], noted);
  } else if (own === null && noted.size > game.covered) {
    if (!state.opened) {
      const ends = `the signed entries end at ${thousands(game.covered)}`;
      const text = `the dealer's log has ${name} at size ${thousands(noted.size)}; ${ends}`;
      say("COMPLETE", "not established", text);
    }
    state.opened = true;
  } else {
    if (own === null && noted.stage === "game_revealed") {
      const text = "the dealer's log has the game as revealed, and a secret is missing";
      say("BOUND", "broken", text);
    }
    /** @type {[any, any]} */
    const place = [own === null ? null : placeNoted(own), placeNoted(noted)];
    await breakLogged(state, tellOther(own, noted), evidence, place, noted);
  }
  return 0;
}

function tellOther(own, noted) {
  const name = nameNoted(noted);
  if (own === null) {
    return `the dealer's log has ${name}, which these entries have not`;
  }
  if (own.size !== noted.size || own.root !== noted.root) {
    return `the dealer's log has ${name} of another history`;
  }
  return `the dealer's log tells another time of ${name}`;
}

function placeNoted(noted) {
  return `${nameNoted(noted)} at ${noted.at}, size ${noted.size}, root ${noted.root}`;
}

function showBytes(bytes) {
  return Array.from(bytes.subarray(0, 400), (byte) => String.fromCharCode(byte)).join("");
}

async function breakLogged(state, text, evidence, [expected, found], noted = null) {
  const {game, tell} = state;
  const {source, line, bytes, proof, noteText} = evidence;
  state.broken += 1;
  if (state.broken > MAX_LISTED_LINES) {
    return;
  }
  sayOfLog(tell, "broken", {
    text: `${text} (${source}, entry ${thousands(proof.index)})`, game: game.game,
    hand: noted?.hand || null, line, expected, found,
  });
  if (noted === null || state.broken > 1 || (await isOfThese(game, noted))) {
    return;
  }
  const own = game.checkpoints.findLast(({holds}) => holds);
  tell.fork({
    log: game.logOrigin, key: game.judge.text, notes: [own.text, noteText],
    leaves: game.leaves.slice(0, game.covered),
    noted: [{index: proof.index, line: showBytes(bytes), proof: proof.path.map(toHex)}],
  });
}

/** Whether a line's root is that of these entries, so that hashes prove nothing against them. */
async function isOfThese(game, {size, root}) {
  return size <= game.covered && toHex(await rootAt(game.tree, size)) === root;
}

/** Takes the notes from outside that are of a dealer's log; how many they are. */
async function takeNotes(games, own, notes, tell) {
  let taken = 0;
  for (const outside of own) {
    const of = games.filter(({origin}) => origin === outside.checkpoint.origin);
    // Without a trusted key the games may have several.
    const good = await Promise.all(of.map((game) => notes.take(game, outside)));
    if (good.includes(true)) {
      taken += 1;
    } else if (of.length > 0) {
      const why = `it has no good signature of ${of[0].judge.shown}`;
      tell.warning(`the note ${outside.source} is ignored: ${why}`);
    }
  }
  return taken;
}

function concludeLogged({vouched, proofs, taken, notes}, tell) {
  if (vouched > 0) {
    const text = `${counted(vouched, "proof")} of the dealer's log lead to these entries`;
    sayOfLog(tell, "holds", {text});
  } else if (proofs.length > 0) {
    const text = "no proof of the dealer's log to compare with";
    sayOfLog(tell, "not established", {text});
  }
  if (taken > 0 && !notes.forked) {
    const what = `${counted(taken, "checkpoint")} of the dealer's log`;
    if (notes.agreeing > 0) {
      const text = "checkpoints of the dealer's log from several sources say the same";
      sayOfLog(tell, "holds", {text});
    } else {
      const more = "cutcard-audit verify can be given the log";
      sayOfLog(tell, "not established", {text: `${what}, and nothing to compare with; ${more}`});
    }
  }
}
