/**
 * What a client has sent in one game: what it will know again as its own in the log. Each is kept
 * before the call that it tells of is made, with the call's request id, so that a page that was
 * reloaded asks again for the very same and never takes its own earlier act for a forgery.
 */

import { AMOUNT, COUNT, list, object, text, words, type Shape } from "./shapes.js";

export const ACTS = ["fold", "check", "call", "bet", "raise"] as const;
export type Act = (typeof ACTS)[number];

export const PRE_ACTS = ["none", "check_fold", "check", "call", "call_any", "fold"] as const;
export type PreAct = (typeof PRE_ACTS)[number];

export const CHOICES = ["chop", "runs", "show", "straddle"] as const;
/** A standing choice: to chop the blinds, run a hand twice, show a losing hand, straddle. */
export type Choice = (typeof CHOICES)[number];

const id = text(/^[A-Za-z0-9._-]{8,64}$/, "a request id");
const reference = text(/^[ -~]{0,128}$/, "a reference");
const hexOrNone = text(/^(?:[0-9a-f]{64})?$/, "32 bytes in hex, or nothing");

/** The fields of each kind; an anchor is empty for none, a missing hand 0. */
const KINDS = {
  seat: { request_id: id, seat: AMOUNT, stack: AMOUNT, anchor: hexOrNone, reference },
  anchor: { request_id: id, anchor: hexOrNone, missing_hand: AMOUNT, missing_link: hexOrNone },
  link: { hand: COUNT, link: hexOrNone },
  act: { request_id: id, hand: COUNT, turn: COUNT, act: words(...ACTS), to: AMOUNT },
  show: { request_id: id, hand: COUNT },
  sit_out: { request_id: id },
  come_back: { request_id: id },
  prefer: { request_id: id, choices: list(words(...CHOICES)) },
  pre_select: { hand: COUNT, act: words(...PRE_ACTS) },
  chips: { request_id: id, amount: COUNT, reference },
  leave: { request_id: id, reference },
} as const;

type Kinds = typeof KINDS;
export type SentKind = keyof Kinds;
export type SentOf<K extends SentKind> = { readonly kind: K } & Shape<Kinds[K]>;
export type Sent = { [K in SentKind]: SentOf<K> }[SentKind];

/** Reads what was kept; throws for anything else. */
export function readSent(value: unknown): Sent {
  const kind = (value as { readonly kind?: unknown } | null)?.kind;
  const known = words(...(Object.keys(KINDS) as SentKind[]))(kind, "kind");
  return object({ kind: words(known), ...KINDS[known] })(value, known) as unknown as Sent;
}
