/*
 * Takes what a player drops, chooses or pastes, and sorts it by what it is: game files, records of
 * clients, checkpoints, proofs of the dealer's log, the evidence of a fork, and keys.
 *
 * A file's name decides nothing. What can not be told is taken for a game, so that the auditor says
 * what is wrong with it.
 */

const HEAD_BYTES = 4096;
const MOST_TEXT = 1024 * 1024;
const MOST_FORK = 16 * 1024 * 1024;
const MOST_RECORD = 256 * 1024 * 1024;
const VKEY = /^\s*[^\s+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+\s*$/;
const RECORD = /^\{"format":"cutcard-record\//;
const FORK = /^\s*\{\s*"format"\s*:\s*"cutcard-fork\//;
const PROOF = /^c2sp\.org\/tlog-proof@/;
const NOTE = /^[^{\n][^\n]*\n(?:[^\n]+\n)*\n(?:\u2014 [^\n]+\n)*(?:\u2014 [^\n]*)?$/;

/** What each kind of thing is called. */
export const KINDS = new Map([
  ["game", "Game"],
  ["record", "Client’s record"],
  ["note", "Checkpoint"],
  ["proof", "Log proof"],
  ["key", "Key"],
]);

/**
 * Sort one file, {name, blob}. Returns a list of {kind, name, size, …}: a game with its `blob`, a
 * record with its `bytes`, a note, proof or key with its `text`; the evidence of a fork gives its
 * two notes. Fails with an Error in plain words where a file can not be read, or is larger than
 * anything of its kind.
 */
export async function sortFile({name, blob}) {
  const size = blob.size;
  const head = await textOf(name, blob.slice(0, HEAD_BYTES));
  if (RECORD.test(head)) {
    bound(name, size, MOST_RECORD, "any record");
    const bytes = new Uint8Array(await readOrExplain(name, blob.arrayBuffer()));
    return [{kind: "record", name, size, bytes}];
  }
  if (FORK.test(head)) return sortFork(name, blob);
  if (PROOF.test(head)) {
    bound(name, size, MOST_TEXT, "any proof");
    return [{kind: "proof", name, size, text: await textOf(name, blob)}];
  }
  if (size <= HEAD_BYTES && VKEY.test(head)) {
    return [{kind: "key", name, size, text: head.trim()}];
  }
  if (size <= MOST_TEXT && !head.startsWith("{")) {
    const text = await textOf(name, blob);
    if (NOTE.test(text)) return [{kind: "note", name, size, text}];
  }
  return [{kind: "game", name, size, blob}];
}

/** Sort a text that was pasted, as a file of that text. */
export async function sortText(text, name) {
  const [first, ...more] = await sortFile({name, blob: new Blob([text])});
  if (first.kind !== "note" || first.text.endsWith("\n")) return [first, ...more];
  return [{...first, text: `${first.text}\n`}];
}

async function sortFork(name, blob) {
  bound(name, blob.size, MOST_FORK, "any evidence of a fork");
  let notes;
  try {
    ({notes} = JSON.parse(await textOf(name, blob)));
  } catch {
    throw new Error(`${name} is cut off: it is no whole evidence of a fork`);
  }
  if (!Array.isArray(notes) || !notes.every((text) => typeof text === "string")) {
    throw new Error(`${name} is evidence of a fork without its two notes`);
  }
  return notes.slice(0, 2).map((text, at) => {
    return {kind: "note", name: `${name}, note ${at + 1}`, size: text.length, text};
  });
}

function bound(name, size, most, what) {
  if (size > most) throw new Error(`${name} is larger than ${what}`);
}

function textOf(name, blob) {
  return readOrExplain(name, blob.text());
}

async function readOrExplain(name, reading) {
  try {
    return await reading;
  } catch {
    throw new Error(`${name} can not be read: is it a folder, or was it moved?`);
  }
}

/**
 * Let files be dropped anywhere on the page, and texts and files be pasted where nobody is typing.
 * `take(items)` gets a list of {name, blob}; while something is held over the page its root has the
 * class "dropping".
 */
export function listenForDrops(take) {
  const root = document.documentElement;
  let depth = 0;
  const show = (change) => {
    depth = Math.max(0, depth + change);
    root.classList.toggle("dropping", depth > 0);
  };
  document.addEventListener("dragenter", () => show(1));
  document.addEventListener("dragleave", () => show(-1));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    show(-depth);
    takeTransfer(event.dataTransfer, take);
  });
  document.addEventListener("paste", (event) => {
    if (event.target instanceof Element && event.target.closest("input, textarea")) return;
    takeTransfer(event.clipboardData, take);
  });
}

function takeTransfer(transfer, take) {
  if (transfer === null) return;
  const files = [...transfer.files].map((file) => ({name: file.name, blob: file}));
  const text = transfer.getData("text/plain");
  if (files.length > 0) take(files);
  else if (text.trim() !== "") take([{name: "pasted text", blob: new Blob([text])}]);
}
