/**
 * The key that a person gives, and the keys that are known besides from the games at hand.
 */

import {parseVerifierKey} from "./note.js";

/** What a person gave can not be used: a message and a hint. */
export class UsageError extends Error {
  constructor(message, hint = "") {
    super(message);
    this.name = "UsageError";
    this.hint = hint;
  }
}

/** The key of a vkey text, or null for none; UsageError for what is no key. */
export async function readTrustedKey(text) {
  if (text === null || text === undefined || text.trim() === "") {
    return null;
  }
  const {key, wrong} = await parseVerifierKey(text.trim());
  if (wrong !== undefined) {
    throw new UsageError(wrong.reason, wrong.hint);
  }
  return key;
}

/** The trusted key where one is given, else those that judge the games, each once. */
export async function knownKeys(text, games) {
  const trusted = await readTrustedKey(text);
  const keys = trusted === null ? games.map(({judge}) => judge) : [trusted];
  return [...new Map(keys.map((key) => [key.text, key])).values()];
}
