/**
 * Why a client leaves a game: the reasons of PROTOCOL.md section 11, and the evidence.
 *
 * To refuse is to send nothing more, to say why, and to keep what was seen. Unlike the refusal of a
 * single call (`CallRefused`), it is for good.
 */

import { hexOf } from "./bytes.js";
import type { Message } from "./message.js";

export type Reason =
  | "SIGNATURE"
  | "ROOT"
  | "LINE"
  | "TIME"
  | "HAND_NUMBER"
  | "ANCHOR"
  | "NOT_MINE"
  | "DEALT_EARLY"
  | "UNCOVERED"
  | "MIX"
  | "SECOND_DECK"
  | "POSITION"
  | "OPENING"
  | "NO_TIME_TO_ANCHOR";

/** Thrown where a rule is found broken, and made a `Refused` of by the verifier. */
export class ProtocolBreach extends Error {
  override readonly name = "ProtocolBreach";
  readonly reason: Reason;

  constructor(reason: Reason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/**
 * All lines received, the checkpoints kept, by size, and the message that was refused. `kept` is the
 * checkpoint of the record that the lines had not come to when the client refused.
 */
export interface Evidence {
  readonly lines: readonly string[];
  readonly checkpoints: ReadonlyMap<number, string>;
  readonly kept: string | undefined;
  readonly received: Message | undefined;
}

/** The client left the game: why, in one word and in words, and what it saw. */
export interface Refused {
  readonly type: "refused";
  readonly game: string;
  readonly reason: Reason;
  readonly detail: string;
  readonly evidence: Evidence;
}

/** Writes the evidence of a refusal as JSON lines (PROTOCOL.md section 11), keys in rising order. */
export function evidenceText(refused: Refused, key: string, player: string): string {
  const lines: object[] = [
    { format: "cutcard-evidence/1", game: refused.game, key, player },
    { refused: { detail: refused.detail, reason: refused.reason } },
  ];
  refused.evidence.lines.forEach((line, index) => {
    lines.push({ line });
    const checkpoint = refused.evidence.checkpoints.get(index + 1);
    if (checkpoint !== undefined) lines.push({ checkpoint });
  });
  const { kept, received } = refused.evidence;
  if (kept !== undefined) lines.push({ kept });
  if (received !== undefined) lines.push({ received: told(received) });
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Writes a refused message down, bytes as hex: it may be of any form. */
function told(message: Message): object {
  const hex = (each: readonly Uint8Array[]): string[] => each.map((one) => hexOf(one));
  return {
    checkpoint: message.checkpoint,
    first: message.first,
    lines: hex(message.lines),
    openings: message.openings.map(({ card, hand, position, proof, salt }) => {
      return { card, hand, position, proof: hex(proof), salt: hexOf(salt) };
    }),
    proofs: message.proofs.map(({ hand, position, proof }) => {
      return { hand, position, proof: hex(proof) };
    }),
  };
}
