/**
 * What a player may do at the table, each kept before it is sent. What the turn does not allow is
 * refused here, with what it allows, and nothing is sent.
 */

import type { Caller } from "./calls.js";
import { refusedHere } from "./errors.js";
import type { Following } from "./following.js";
import type { Decision, Range } from "./message.js";
import { CHOICES, type Act, type Choice, type PreAct } from "./sent.js";
import { requestId } from "./surroundings.js";
import { ACTS, PRE_ACTS } from "./wire.js";

export class Acting {
  readonly #caller: Caller;
  readonly #current: () => Following;
  /** The turn that an act is under way for. */
  #underWay: string | undefined;

  constructor(caller: Caller, current: () => Following) {
    this.#caller = caller;
    this.#current = current;
  }

  /** Acts on a turn: the one that stands, or the one given. */
  async act(act: Act, to: number, decision = this.turn()): Promise<void> {
    requireAllowed(decision, act, to);
    const following = this.#current();
    const { hand, turn } = decision;
    const name = `${following.game} ${hand} ${turn}`;
    if (this.#underWay === name) throw refusedHere("NO_TURN", "an act for this turn is under way");
    this.#underWay = name;
    try {
      const request_id = requestId(this.#caller.around);
      await following.note({ kind: "act", request_id, hand, turn, act, to });
      const request = {
        requestId: request_id,
        game: following.game,
        hand: BigInt(hand),
        turn: BigInt(turn),
        act: ACTS[act],
        to: BigInt(to),
      };
      await this.#caller.call(following.game, ({ play }, how) => play.act(request, how));
    } catch (error) {
      this.#underWay = undefined;
      throw error;
    }
  }

  /** Puts in all chips: by a bet, a raise or a call, whichever the turn allows. */
  async allIn(): Promise<void> {
    const decision = this.turn();
    const table = this.#current().viewer.table();
    const mine = table.seats.find((one) => one.seat === decision.seat);
    const stack = mine?.stack ?? 0;
    const all = stack + (mine?.bet ?? 0);
    if (decision.raise?.to === all) await this.act("raise", all, decision);
    else if (decision.bet?.to === all) await this.act("bet", all, decision);
    else if (decision.call > 0 && decision.call === stack) await this.act("call", 0, decision);
    else throw refusedHere("NOT_ALLOWED", `all chips may not go in: ${allowed(decision)}`);
  }

  /** The player's turn that stands; CallRefused NO_TURN. */
  turn(): Decision {
    const following = this.#current();
    const { decision } = following.viewer;
    if (decision === undefined || decision.seat !== following.own?.seat) {
      throw refusedHere("NO_TURN", "it is not the player's turn");
    }
    return decision;
  }

  async preSelect(act: PreAct): Promise<void> {
    const following = this.#current();
    const { hand } = following.verifier;
    if (hand === 0) throw refusedHere("NO_TURN", "no hand has opened");
    await following.note({ kind: "pre_select", hand, act });
    const request = { game: following.game, hand: BigInt(hand), act: PRE_ACTS[act] };
    await this.#caller.call(following.game, ({ play }, how) => play.preSelect(request, how));
  }

  /** Sets all standing choices, where the player plays now or at another game of its own. */
  async prefer(chosen: readonly Choice[], following = this.#current()): Promise<void> {
    const choices = CHOICES.filter((one) => chosen.includes(one));
    const request_id = requestId(this.#caller.around);
    await following.note({ kind: "prefer", request_id, choices });
    const request = { requestId: request_id, game: following.game, choices };
    await this.#caller.call(following.game, ({ play }, how) => play.prefer(request, how));
  }

  async show(): Promise<void> {
    const following = this.#current();
    const { hand } = following.verifier;
    if (hand === 0) throw refusedHere("NOTHING_TO_SHOW", "no hand has opened");
    const request_id = requestId(this.#caller.around);
    await following.note({ kind: "show", request_id, hand });
    const request = { requestId: request_id, game: following.game, hand: BigInt(hand) };
    await this.#caller.call(following.game, ({ play }, how) => play.show(request, how));
  }

  async sitOut(): Promise<void> {
    const following = this.#current();
    const request_id = requestId(this.#caller.around);
    await following.note({ kind: "sit_out", request_id });
    const request = { requestId: request_id, game: following.game };
    await this.#caller.call(following.game, ({ play }, how) => play.sitOut(request, how));
  }

  async comeBack(): Promise<void> {
    const following = this.#current();
    const request_id = requestId(this.#caller.around);
    await following.note({ kind: "come_back", request_id });
    const request = { requestId: request_id, game: following.game };
    await this.#caller.call(following.game, ({ play }, how) => play.comeBack(request, how));
  }
}

function requireAllowed(decision: Decision, act: Act, to: number): void {
  const isAllowed = {
    fold: true,
    check: decision.mayCheck,
    call: decision.call > 0,
    bet: isWithin(decision.bet, to),
    raise: isWithin(decision.raise, to),
  }[act];
  if (!isAllowed) {
    const asked = act === "bet" || act === "raise" ? `${act} to ${to}` : act;
    throw refusedHere("NOT_ALLOWED", `no ${asked} here: ${allowed(decision)}`);
  }
}

function isWithin(range: Range | undefined, to: number): boolean {
  return range !== undefined && Number.isInteger(to) && to >= range.from && to <= range.to;
}

function told({ from, to }: Range): string {
  return from === to ? String(to) : `between ${from} and ${to}`;
}

/** Says in words what a turn allows. */
export function allowed(decision: Decision): string {
  const { mayCheck, call, bet, raise, noRaiseBecause } = decision;
  const ways = [
    mayCheck && "check",
    "fold",
    call > 0 && `call ${call}`,
    bet && `bet to ${told(bet)}`,
    raise && `raise to ${told(raise)}`,
  ].filter((one) => typeof one === "string");
  return ways.join(", ") + (noRaiseBecause === "" ? "" : ` (${noRaiseBecause})`);
}
