/**
 * C2SP `tlog-proof`: one line's place in the dealer's log, with the checkpoint (PROTOCOL.md 5).
 *
 *     c2sp.org/tlog-proof@v1
 *     extra BASE64            the line itself; may be left out, and proves nothing alone
 *     index N
 *     BASE64 …                the inclusion path, leaf to root
 *
 *     the checkpoint of the dealer's log, with its signatures
 */

import {fromBase64, fromHex, utf8Text} from "./bytes.js";
import {decimalNumber, parseCheckpointNote} from "./checkpoint.js";
import {knownKeys} from "./given.js";
import {HASH_BYTES, MAX_PATH, followPath, leafHash, stepsInHex} from "./merkle.js";
import {judgeNote} from "./note.js";
import {expectNoted, nameNoted, notedBytes, parseNoted, writeNoted} from "./noted.js";
import {thousands} from "./voice.js";
import {printable, problem} from "./words.js";

const PROOF_HEAD = "c2sp.org/tlog-proof@v1";
const MAX_PROOF_TEXT = 1024 * 1024;

/**
 * The parts of a proof's text: {proof} or {wrong: problem}.
 *
 * A proof is {index, path: [32 bytes], noteText, note, checkpoint, extra: bytes or null}.
 */
export function parseLogProof(text) {
  if (text.length > MAX_PROOF_TEXT) {
    return {wrong: problem(`a proof of more than ${thousands(MAX_PROOF_TEXT)} bytes`)};
  }
  const blank = text.indexOf("\n\n");
  if (blank < 0) {
    return {wrong: problem("a proof without a blank line before its checkpoint")};
  }
  const {place, wrong} = parseProofHead(text.slice(0, blank).split("\n"));
  if (wrong !== undefined) {
    return {wrong};
  }
  const noteText = text.slice(blank + 2);
  const found = parseCheckpointNote(noteText);
  if (found.wrong !== undefined) {
    return {wrong: found.wrong};
  }
  return {proof: {...place, noteText, note: found.note, checkpoint: found.checkpoint}};
}

function parseProofHead(lines) {
  const left = [...lines];
  if (left.shift() !== PROOF_HEAD) {
    return {wrong: problem("not a proof", `a proof begins with the line ${PROOF_HEAD}`)};
  }
  let extra = null;
  if (left[0]?.startsWith("extra ")) {
    extra = fromBase64(left.shift().slice("extra ".length));
    if (extra === null) {
      return {wrong: problem("extra data of a proof that is not canonical base64")};
    }
  }
  const index = /^index (0|[1-9][0-9]{0,18})$/.exec(left.shift() ?? "")?.[1];
  if (index === undefined) {
    return {wrong: problem("a proof without its index line", "index N, in decimal")};
  }
  if (left.length > MAX_PATH) {
    const reason = `a proof of ${left.length} hashes`;
    return {wrong: problem(reason, `at most ${MAX_PATH} are possible`)};
  }
  const path = left.map(fromBase64);
  if (path.some((hash) => hash?.length !== HASH_BYTES)) {
    return {wrong: problem("a hash of a proof that is not 32 bytes in canonical base64")};
  }
  return {place: {index: decimalNumber(index), path, extra}};
}

/** Null where a leaf hash is proved at the proof's index under its checkpoint, else the reason. */
export async function checkProofLeaf({index, path, checkpoint}, leaf) {
  return (await followPath(index, checkpoint.size, leaf, path, fromHex(checkpoint.root))).wrong;
}

/** The line (bytes) of a game that a proof leads from, be it its extra data or not; or null. */
export async function findProvedLine(proof, game, expected) {
  if (proof.extra !== null) {
    const {noted} = parseNoted(proof.extra);
    const isOfGame = noted?.game === game.game;
    if (isOfGame && (await checkProofLeaf(proof, await leafHash(proof.extra))) === null) {
      return proof.extra;
    }
  }
  const lines = [...expected.values()].map(notedBytes);
  for (let from = 0; from < lines.length; from += 256) {
    const batch = lines.slice(from, from + 256);
    const wrong = await Promise.all(
      batch.map(async (line) => checkProofLeaf(proof, await leafHash(line))),
    );
    const at = wrong.indexOf(null);
    if (at >= 0) {
      return batch[at];
    }
  }
  return null;
}

/**
 * What one proof proves, by a key (vkey text or null) and the games that are loaded, for a person:
 * {verdict, text, details, fork: null, line, index, size, root, path}.
 *
 * `verdict` is "holds" (the line is in the log of that checkpoint, signed by the dealer's key, and
 * where its game is loaded it tells of these entries), "broken" or "not established"; `details` are
 * sentences. `line` is the proved line's text or null, `path` what `followPath` made of it.
 * UsageError for a key that is none.
 */
export async function checkLogProof({text, key}, games = []) {
  const judges = await knownKeys(key, games);
  const {proof, wrong} = parseLogProof(text);
  if (wrong !== undefined) {
    return {
      verdict: "not established", text: `this is no proof: ${wrong.reason}`,
      details: wrong.hint === "" ? [] : [wrong.hint], fork: null, line: null, index: null,
      size: null, root: null, path: [],
    };
  }
  const {index, path, checkpoint} = proof;
  const {bytes, game, expected} = await findLoadedLine(proof, games);
  const root = fromHex(checkpoint.root);
  const followed = bytes === null ? {steps: [], wrong: null}
    : await followPath(index, checkpoint.size, await leafHash(bytes), path, root);
  const told = [
    tellPath(bytes, followed.wrong, proof),
    await tellSignature(proof, judges),
    ...(bytes === null ? [] : [tellLine(bytes, game, expected)]),
  ];
  const verdict = ["broken", "not established", "holds"].find((one) => {
    return told.some((said) => said.verdict === one);
  });
  const main = told.findLast((said) => said.verdict === verdict);
  const details = told.filter((said) => said !== main).map((said) => said.text);
  return {
    verdict, text: main.text, details, fork: null, index, size: checkpoint.size,
    line: bytes === null ? null : utf8Text(bytes), root: checkpoint.root,
    path: stepsInHex(followed.steps),
  };
}

/** The line that a proof is of, with the loaded game and its lines where it is of one. */
async function findLoadedLine(proof, games) {
  for (const game of games) {
    if (game.covered > 0 && game.origin === proof.checkpoint.origin) {
      const expected = await expectNoted(game);
      const bytes = await findProvedLine(proof, game, expected);
      if (bytes !== null) {
        return {bytes, game, expected};
      }
    }
  }
  return {bytes: proof.extra, game: null, expected: null};
}

function tellPath(bytes, wrong, {index, checkpoint}) {
  if (bytes === null) {
    const text = "which line it is of is not known: neither it nor a loaded game has the line";
    return {verdict: "not established", text};
  }
  if (wrong !== null) {
    return {verdict: "broken", text: `it does not prove its line: ${wrong}`};
  }
  const place = `entry ${thousands(index)} of a log of ${thousands(checkpoint.size)} lines`;
  return {verdict: "holds", text: `its hashes lead from the line to the root: it is ${place}`};
}

async function tellSignature({note, checkpoint}, judges) {
  const origin = printable(checkpoint.origin);
  const known = judges.filter(({name}) => name === checkpoint.origin);
  if (checkpoint.extensions.length > 0) {
    const text = "the checkpoint has extension lines, a dealer's has none";
    return {verdict: "broken", text};
  }
  if (known.length === 0) {
    const text = `the key of ${origin} is not known here: give it, or drop a game of that dealer`;
    return {verdict: "not established", text};
  }
  const said = await Promise.all(known.map((key) => judgeNote(note, key)));
  const at = said.indexOf("good");
  if (at >= 0) {
    return {verdict: "holds", text: `the checkpoint is signed by ${known[at].shown}`};
  }
  if (said.includes("bad")) {
    const text = `a signature of ${known[said.indexOf("bad")].shown} on the checkpoint fails`;
    return {verdict: "broken", text};
  }
  const text = `the checkpoint has no signature of ${known.map(({shown}) => shown).join(" or ")}`;
  return {verdict: "not established", text};
}

function tellLine(bytes, game, expected) {
  const {noted, wrong} = parseNoted(bytes);
  if (wrong !== undefined) {
    const text = `a line of the dealer's log is not of its format: ${wrong.reason}`;
    return {verdict: "broken", text};
  }
  const about = `${nameNoted(noted)} of game ${noted.game}`;
  if (game === null) {
    const size = thousands(noted.size);
    return {verdict: "holds", text: `the dealer's log tells of ${about}, at size ${size}`};
  }
  const agrees = [...expected.values()].some((one) => writeNoted(one) === writeNoted(noted));
  if (agrees) {
    const text = `the line tells of ${about}, with the root of the entries of this file`;
    return {verdict: "holds", text};
  }
  // A line behind the file's end proves nothing against it.
  const verdict = noted.size > game.covered ? "not established" : "broken";
  const place = `at size ${thousands(noted.size)}, which the entries of this file have not`;
  return {verdict, text: `the line tells of ${about} ${place}`};
}
