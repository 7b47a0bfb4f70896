/** From the messages of play.proto to the client's own values. */

import { Act as WireAct, PreAct as WirePreAct, type Decision as WireDecision, type WatchResponse } from "./generated/cutcard/v1/play_pb.js";
import type { Decision, Message } from "./message.js";
import { ProtocolBreach } from "./refusing.js";
import type { Act, PreAct } from "./sent.js";

export const ACTS: Readonly<Record<Act, WireAct>> = {
  fold: WireAct.FOLD,
  check: WireAct.CHECK,
  call: WireAct.CALL,
  bet: WireAct.BET,
  raise: WireAct.RAISE,
};

export const PRE_ACTS: Readonly<Record<PreAct, WirePreAct>> = {
  none: WirePreAct.NONE,
  check_fold: WirePreAct.CHECK_FOLD,
  check: WirePreAct.CHECK,
  call: WirePreAct.CALL,
  call_any: WirePreAct.CALL_ANY,
  fold: WirePreAct.FOLD,
};

/** A number of the wire, which is never as large as it could be; ProtocolBreach LINE. */
export function numberOf(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new ProtocolBreach("LINE", `the stream holds ${value}, and numbers are below 2^53`);
  }
  return Number(value);
}

/** Reads one message of the stream; ProtocolBreach LINE. */
export function readMessage(response: WatchResponse): Message {
  return {
    first: numberOf(response.first),
    lines: response.lines,
    proofs: response.proofs.map((one) => ({
      hand: numberOf(one.hand),
      position: one.position,
      proof: one.proof,
    })),
    checkpoint: response.checkpoint,
    decision: response.decision && readDecision(response.decision),
    openings: response.openings.map((one) => ({
      hand: numberOf(one.hand),
      position: one.position,
      card: one.card,
      salt: one.salt,
      proof: one.proof,
    })),
  };
}

function readDecision(told: WireDecision): Decision {
  const { bet, raise } = told;
  return {
    hand: numberOf(told.hand),
    turn: numberOf(told.turn),
    seat: told.seat,
    mayCheck: told.mayCheck,
    call: numberOf(told.call),
    callTo: numberOf(told.callTo),
    bet: bet && { from: numberOf(bet.from), to: numberOf(bet.to) },
    raise: raise && { from: numberOf(raise.from), to: numberOf(raise.to) },
    noRaiseBecause: told.noRaiseBecause,
    deadline: numberOf(told.deadline),
    bankMs: numberOf(told.bankMs),
    presets: told.presets.map((one) => ({
      name: one.name,
      to: numberOf(one.to),
      cost: numberOf(one.cost),
    })),
  };
}
