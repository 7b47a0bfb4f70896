/** Lies that a dealer could tell with its own key: each is refused, and none gets a link. */

import { beforeEach, describe, expect, it } from "vitest";

import { fromHex, hexOf, utf8 } from "../src/bytes.js";
import { chainOf } from "../src/hashing.js";
import type { Message } from "../src/message.js";
import { openCheckpoint } from "../src/note.js";
import type { Reason } from "../src/refusing.js";
import { Verifier } from "../src/verifier.js";
import { GAME, House, ORIGIN } from "./support/house.js";

const PLACE = { origin: ORIGIN, game: fromHex(GAME), player: "ann" };
const CHAIN = chainOf(PLACE, new Uint8Array(32).fill(3).fill(4, 1), 20).map((one) => hexOf(one));
const ANCHOR = CHAIN[19] ?? "";
const LINK = CHAIN[18] ?? "";
const OTHER = "22".repeat(32);
const WRONG_LINKS = [{ seat: 1, link: OTHER }];
const ASKED = { kind: "seat", request_id: "a-request-id", seat: 0, stack: 100, anchor: ANCHOR, reference: "" } as const;

let house: House;
let verifier: Verifier;
let bea: string;
let now: number;

function hear(...messages: Message[]): Reason | "fine" {
  for (const message of messages) {
    now += 10;
    const step = verifier.receive(message, now);
    if (step.type === "refused") return step.reason;
  }
  return "fine";
}

/** The two seats as an opening tells them, with what is told otherwise of ann's. */
function seats(ann: object = {}): object[] {
  return [
    { seat: 1, player: "ann", stack: 100, state: "in", anchor: ANCHOR, ...ann },
    { seat: 2, player: "bea", stack: 100, state: "in", anchor: bea },
  ];
}

/** A line's bytes, as they are. */
function raw(text: string): Message {
  return { ...house.log("paused", {}), lines: [utf8(text)] };
}

function opened(): void {
  expect(hear(house.openHand(), house.checkpoint())).toBe("fine");
  expect(verifier.linkDue?.hand).toBe(1);
  verifier.note({ kind: "link", hand: 1, link: LINK });
}

function dealt(): void {
  opened();
  const told = [house.commit(LINK), house.checkpoint(), ...house.post(), house.deal(), house.own()];
  expect(hear(...told, house.checkpoint())).toBe("fine");
}

beforeEach(() => {
  house = new House();
  now = 1_000;
  verifier = new Verifier({ game: GAME, key: house.key, player: "ann", joined: now, backlog: 0 });
  verifier.note(ASKED);
  bea = hexOf(house.bea.at(-1) ?? new Uint8Array());
  const told = [house.open(), house.sit(1, "ann", ANCHOR), house.sit(2, "bea", bea), house.checkpoint()];
  expect(hear(...told)).toBe("fine");
});

type Lie = [name: string, reason: Reason, lie: () => Message[]];

describe("before a link", () => {
  const at = (): number => (house.now += 10);
  const lies: Lie[] = [
    ["its anchor under another's name and seat", "ANCHOR", () => [house.openHand({ seats: [{ ...seats()[0], anchor: bea }, { ...seats()[1], anchor: ANCHOR }] as never })]],
    ["its anchor left out", "ANCHOR", () => [house.openHand({ seats: [{ seat: 1, player: "ann", stack: 100, state: "in" }, seats()[1]] as never })]],
    ["its seat under another number", "LINE", () => [house.openHand({ seats: seats({ seat: 2 }) as never })]],
    ["its seat left out", "LINE", () => [house.openHand({ seats: [seats()[1]] as never })]],
    ["it sitting out, which it does not", "NOT_MINE", () => [house.openHand({ seats: [...seats({ state: "sitting_out" }), { seat: 3, player: "cat", stack: 100, state: "in" }] as never })]],
    ["choices that it did not make", "NOT_MINE", () => [house.openHand({ seats: seats({ choices: ["straddle"] }) as never })]],
    ["a straddle that it did not choose", "NOT_MINE", () => [house.openHand({ straddle_seat: 1 })]],
    ["a hand numbered beyond 2^53", "LINE", () => [raw(`{"at":${at()},"hand_opened":{"hand":9007199254740993}}`)]],
    ["a key twice", "LINE", () => [raw(`{"at":${at()},"at":${at()},"paused":{}}`)]],
    ["keys out of order", "LINE", () => [raw(`{"paused":{},"at":${at()}}`)]],
    ["a number with an exponent", "LINE", () => [raw(`{"at":18e11,"paused":{}}`)]],
    ["a name in other letters", "LINE", () => [raw(`{"at":${at()},"sat_out":{"by":"clock","player":"\u0430nn","seat":1}}`)]],
    ["an escape for a plain letter", "LINE", () => [raw(`{"at":${at()},"sat_out":{"by":"clock","player":"\\u0061nn","seat":1}}`)]],
    ["a byte order mark", "LINE", () => [raw(`\ufeff{"at":${at()},"paused":{}}`)]],
    ["a field of the prototype", "LINE", () => [raw(`{"__proto__":{},"at":${at()}}`)]],
    ["nothing at all", "LINE", () => [raw("")]],
    ["the game opened again", "LINE", () => [house.open()]],
    ["another anchor of its own", "NOT_MINE", () => [house.log("anchored", { seat: 1, player: "ann", anchor: OTHER })]],
    ["a second seat of its own", "NOT_MINE", () => [house.log("seat_taken", { seat: 3, player: "ann", stack: 100, anchor: ANCHOR })]],
    ["chips that it did not add", "NOT_MINE", () => [house.log("chips_added", { seat: 1, player: "ann", amount: 5 })]],
    ["it sitting out by a clock that did not act", "NOT_MINE", () => [house.log("sat_out", { seat: 1, player: "ann", by: "clock" })]],
    ["a line that leaves a gap", "LINE", () => { const one = house.log("paused", {}); return [{ ...one, first: one.first + 1 }]; }],
    ["a checkpoint of more lines than came", "ROOT", () => { house.openHand(); return [house.checkpoint()]; }],
    ["a checkpoint of another game", "SIGNATURE", () => { const one = house.checkpoint(); return [{ ...one, checkpoint: one.checkpoint.replace(GAME, GAME.replace("0", "1")) }]; }],
    ["a checkpoint with base64 that is not minimal", "SIGNATURE", () => { const one = house.checkpoint(); return [{ ...one, checkpoint: one.checkpoint.replace(/=\n\n/, "\n\n") }]; }],
    ["cards of a hand that never was", "POSITION", () => [{ ...house.checkpoint(), openings: [{ hand: 7, position: 1, card: "As", salt: new Uint8Array(16), proof: [] }] }]],
    ["a hand void that never opened", "LINE", () => [house.log("hand_void", { hand: 1, reason: "operator", secret: OTHER, links: [], missing: [] })]],
  ];
  it.each(lies)("%s", (_, reason, lie) => {
    expect(hear(...lie())).toBe(reason);
    expect(verifier.linkDue).toBeUndefined();
  });
});

describe("after its link", () => {
  const commit = (changes = {}): Message[] => [house.commit(LINK, changes), house.checkpoint()];
  const lies: Lie[] = [
    ["a void that has another link of its", "MIX", () => [house.log("hand_void", { hand: 1, reason: "operator", secret: OTHER, links: WRONG_LINKS, missing: [] })]],
    ["a hand opened anew, with no void", "LINE", () => [house.openHand()]],
    ["a deck of another hand", "LINE", () => [house.commit(LINK, { hand: 2 })]],
    ["a deck with a beacon that no rule names", "MIX", () => [house.commit(LINK, { beacon: { round: 1, randomness: OTHER, signature: "00".repeat(48) } })]],
    ["a void after the deck, for a link", "LINE", () => [...commit(), house.log("hand_void", { hand: 1, reason: "operator", secret: OTHER, links: [], missing: [] })]],
    ["another root than its cards are proved by", "OPENING", () => [...commit({ deck_root: OTHER }), house.deal(), house.own()]],
    ["cards dealt to the seats in another order", "POSITION", () => [...commit(), house.log("dealt", { hand: 1, positions: [0, 1, 2, 3].map((position) => ({ position, to: "seat", seat: position % 2 === 0 ? 1 : 2 })) })]],
    ["one card too few dealt", "POSITION", () => [...commit(), house.log("dealt", { hand: 1, positions: [0, 1, 2].map((position) => ({ position, to: "seat", seat: position % 2 === 0 ? 2 : 1 })) })]],
    ["its first card twice", "OPENING", () => [...commit(), house.deal(), house.own([1], { position: 3 })]],
    ["a salt that is too long", "OPENING", () => [...commit(), house.deal(), house.own([1], { salt: new Uint8Array(17).fill(2) })]],
    ["a card that does not exist", "OPENING", () => [...commit(), house.deal(), house.own([1], { card: "1s" })]],
    ["a path with a hash more", "OPENING", () => [...commit(), house.deal(), house.own([1], { proof: [...house.opening(1).proof, new Uint8Array(32)] })]],
    ["its cards shown as a line, without a proof", "OPENING", () => [...commit(), house.deal(), house.own(), house.log("opened", { hand: 1, by: "rule", seat: 1, cards: [{ position: 1, card: house.opening(1).card, salt: hexOf(house.opening(1).salt) }] })]],
    ["its cards shown by itself", "NOT_MINE", () => [...commit(), house.deal(), house.own(), house.log("opened", { hand: 1, by: "player", seat: 1, cards: [{ position: 1, card: house.opening(1).card, salt: hexOf(house.opening(1).salt) }] }, { proofs: [house.proof(1)] })]],
    ["a board card of a position that went to a seat", "POSITION", () => [...commit(), house.deal(), house.own(), house.log("opened", { hand: 1, by: "rule", board: 1, cards: [{ position: 0, card: house.opening(0).card, salt: hexOf(house.opening(0).salt) }] }, { proofs: [house.proof(0)] })]],
    ["its hand mucked by itself", "NOT_MINE", () => [...commit(), house.deal(), house.own(), house.log("mucked", { hand: 1, seat: 1, by: "player" })]],
    ["a hand run twice that it did not agree to", "NOT_MINE", () => [...commit(), house.deal(), house.own(), house.log("runs_agreed", { hand: 1, runs: 2, seats: [1, 2] })]],
    ["its leaving, and an act as absent", "NOT_MINE", () => [...commit(), house.deal(), house.own(), house.fold("absent")]],
    ["a call by the clock", "NOT_MINE", () => { const told = [...commit(), house.deal(), house.own()]; house.now += 3_000; return [...told, house.log("acted", { seat: 1, act: "call", to: 2, by: "clock", turn: 1 })]; }],
    ["the next hand before this one ends", "LINE", () => [...commit(), house.deal(), house.own(), house.openHand()]],
    ["a hand more after the game has closed", "LINE", () => [...commit(), house.deal(), house.own(), ...house.end(), ...house.close(), house.openHand()]],
    ["a secret revealed while the game runs", "LINE", () => [...commit(), house.log("secret_revealed", { hand: 1, secret: OTHER })]],
  ];
  it.each(lies)("%s", (_, reason, lie) => {
    opened();
    expect(hear(...lie())).toBe(reason);
  });

  it("another size than it raised to", () => {
    dealt();
    verifier.note({ kind: "act", request_id: "a-request-id", hand: 1, turn: 1, act: "raise", to: 4 });
    expect(hear(house.log("acted", { seat: 1, act: "raise", to: 100, by: "player", turn: 1 }))).toBe("NOT_MINE");
  });

  it("one act of its told twice", () => {
    dealt();
    verifier.note({ kind: "act", request_id: "a-request-id", hand: 1, turn: 1, act: "call", to: 0 });
    const call = (turn: number) => house.log("acted", { seat: 1, act: "call", to: 2, by: "player", turn });
    expect(hear(call(1), call(2))).toBe("NOT_MINE");
  });
});

describe("after a reload, of the log that it kept a checkpoint of", () => {
  /** A client that comes again, with the link it gave, before another history. */
  function again(other: House): void {
    const note = house.checkpoint().checkpoint;
    const signed = { ...openCheckpoint(note, house.key, `${ORIGIN}/games/${GAME}`), note };
    const backlog = other.lines.length;
    verifier = new Verifier({ game: GAME, key: house.key, player: "ann", joined: now, backlog, signed });
    verifier.note(ASKED);
    verifier.note({ kind: "link", hand: 1, link: LINK });
  }

  function fork(changes: object): House {
    const other = new House();
    other.open();
    other.sit(1, "ann", ANCHOR);
    other.sit(2, "bea", bea);
    other.openHand(changes as never);
    return other;
  }

  function hearAll(other: House, size = other.lines.length): Reason | "fine" {
    verifier.began(size);
    return hear({ ...other.checkpoint(), first: 0, lines: other.lines });
  }

  it("the same is fine, and its link due again", () => {
    opened();
    again(house);
    expect(hearAll(house)).toBe("fine");
    expect(verifier.linkDue?.hand).toBe(1);
  });

  it("a hand with another commitment gets no link: it is known already", () => {
    opened();
    const other = fork({ commitment: OTHER });
    again(other);
    expect(hearAll(other)).toBe("ROOT");
    expect(verifier.linkDue).toBeUndefined();
  });

  it("a log that is shorter is refused", () => {
    opened();
    expect(hear(house.log("paused", {}), house.checkpoint())).toBe("fine");
    const other = fork({ commitment: OTHER });
    again(other);
    expect(hearAll(other)).toBe("ROOT");
  });

  it("a log that is over is refused where it is shorter, whatever its dealer says", () => {
    dealt();
    const other = new House();
    const stacks = [{ seat: 1, player: "ann", stack: 100 }];
    const closed = (): Message => other.log("game_closed", { reason: "operator", stacks });
    const told = [other.open(), other.sit(1, "ann", ANCHOR), closed()];
    again(other);
    verifier.began(house.lines.length);
    expect(hear(...told)).toBe("fine");
    expect(hear(other.checkpoint())).toBe("ROOT");
  });

  it("a hand that opens earlier there gets no link before all of it is held to what was kept", () => {
    opened();
    expect(hear(house.log("paused", {}), house.checkpoint())).toBe("fine");
    const other = fork({ commitment: OTHER });
    again(other);
    verifier.began(house.lines.length);
    expect(hear({ ...other.checkpoint(), first: 0, lines: other.lines })).toBe("fine");
    expect(verifier.linkDue).toBeUndefined();
    expect(hear(other.log("resumed", {}), other.checkpoint())).toBe("ROOT");
  });
});
