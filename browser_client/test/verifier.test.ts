/** What a client refuses (PROTOCOL.md section 11), and when it gives a link. */

import { beforeEach, describe, expect, it } from "vitest";

import { fromHex, hexOf, utf8 } from "../src/bytes.js";
import { chainOf } from "../src/hashing.js";
import type { Message } from "../src/message.js";
import type { Reason } from "../src/refusing.js";
import { Verifier } from "../src/verifier.js";
import { GAME, House, ORIGIN } from "./support/house.js";

const PLACE = { origin: ORIGIN, game: fromHex(GAME), player: "ann" };
const CHAIN = chainOf(PLACE, new Uint8Array(32).fill(1).fill(2, 1), 20).map((one) => hexOf(one));
const ANCHOR = CHAIN[19] ?? "";
const LINK = CHAIN[18] ?? "";

let house: House;
let verifier: Verifier;
let now: number;

function hear(...messages: Message[]): Reason | "fine" {
  for (const message of messages) {
    now += 10;
    const step = verifier.receive(message, now);
    if (step.type === "refused") return step.reason;
  }
  return "fine";
}

function give(): void {
  verifier.note({ kind: "link", hand: house.hand, link: LINK });
}

beforeEach(() => {
  house = new House();
  now = 1_000;
  verifier = new Verifier({ game: GAME, key: house.key, player: "ann", joined: now, backlog: 0 });
  const request_id = "a-request-id";
  verifier.note({ kind: "seat", request_id, seat: 0, stack: 100, anchor: ANCHOR, reference: "" });
  const bea = hexOf(house.bea.at(-1) ?? new Uint8Array());
  expect(hear(house.open(), house.sit(1, "ann", ANCHOR), house.sit(2, "bea", bea), house.checkpoint())).toBe("fine");
});

/** Comes to where ann has her cards. */
function dealt(): void {
  expect(hear(house.openHand(), house.checkpoint())).toBe("fine");
  give();
  const told = [house.commit(LINK), house.checkpoint(), ...house.post(), house.deal(), house.own()];
  expect(hear(...told, house.checkpoint())).toBe("fine");
}

describe("a link", () => {
  it("is due under a checkpoint that ends with the opening, and not before", () => {
    hear(house.openHand());
    expect(verifier.linkDue).toBeUndefined();
    const signed = house.checkpoint();
    hear(signed);
    const due = { hand: 1, anchor: ANCHOR, checkpoint: signed.checkpoint, dated: undefined };
    expect(verifier.linkDue).toEqual(due);
  });

  it("is not due under a checkpoint of more lines than end with the opening", () => {
    hear(house.openHand(), house.log("paused", {}), house.checkpoint());
    expect(verifier.linkDue).toBeUndefined();
  });

  it("is not due for a hand that was over before the client came", () => {
    const late = new Verifier({ game: GAME, key: house.key, player: "ann", joined: now, backlog: 99 });
    for (const line of house.lines) late.receive({ ...house.checkpoint(), first: late.size, lines: [line], checkpoint: "" }, now);
    expect(late.linkDue).toBeUndefined();
  });

  it("is due no more when the deck is committed", () => {
    dealt();
    expect(verifier.linkDue).toBeUndefined();
  });
});

describe("an honest dealer", () => {
  it("is followed to the reveal", () => {
    dealt();
    verifier.note({ kind: "act", request_id: "a-request-id", hand: 1, turn: 1, act: "fold", to: 0 });
    expect(hear(house.fold(), ...house.end(), ...house.close(), house.checkpoint())).toBe("fine");
    expect(verifier.finished).toBe(true);
  });
});

type Case = [name: string, reason: Reason, lie: () => Message[]];

describe("refuses before it gives a link", () => {
  const forked = new Uint8Array(32).fill(9);
  const other = "22".repeat(32);
  const cases: Case[] = [
    ["a checkpoint of other lines", "ROOT", () => [house.openHand(), house.checkpoint(forked)]],
    [
      "a checkpoint that nobody signed",
      "SIGNATURE",
      () => {
        const message = house.openHand();
        const signed = house.checkpoint();
        return [message, { ...signed, checkpoint: signed.checkpoint.replace("\n4\n", "\n5\n") }];
      },
    ],
    [
      "an opening that freezes another anchor",
      "ANCHOR",
      () => {
        const [ann, bea] = ["ann", "bea"].map((player, index) => ({
          seat: index + 1,
          player,
          stack: 100,
          state: "in",
          anchor: other,
        }));
        return [house.openHand({ seats: [ann ?? {}, bea ?? {}] })];
      },
    ],
    ["a hand's number that is missing", "HAND_NUMBER", () => [house.openHand({ hand: 2 })]],
    ["a line that is not canonical", "LINE", () => [{ ...house.openHand(), lines: [utf8('{"at": 1}')] }]],
    ["a line of an unknown field", "LINE", () => [house.openHand({ more: 1 })]],
    [
      "a line that comes again with other bytes",
      "ROOT",
      () => [{ ...house.log("paused", {}), first: 0 }],
    ],
    [
      "a time that falls",
      "TIME",
      () => {
        house.now -= 1_000;
        return [house.openHand()];
      },
    ],
    [
      "a time that runs ahead",
      "TIME",
      () => {
        house.now += 6_000;
        return [house.openHand()];
      },
    ],
    ["a seat left that it did not leave", "NOT_MINE", () => [house.log("seat_left", { seat: 1, player: "ann", stack: 100 })]],
  ];
  it.each(cases)("%s", (_, reason, lie) => {
    expect(hear(...lie())).toBe(reason);
    expect(verifier.linkDue).toBeUndefined();
    // For good, with all that it saw.
    expect(hear(house.checkpoint())).toBe(reason);
  });
});

describe("refuses when its link is given", () => {
  const opened: () => void = () => {
    expect(hear(house.openHand(), house.checkpoint())).toBe("fine");
    give();
  };
  const other = CHAIN[3] ?? "";
  const cases: Case[] = [
    ["a deck without its link", "MIX", () => [house.commit(LINK, { links: [] })]],
    ["a deck with another link of its", "MIX", () => [house.commit(other)]],
    ["a mix that is none of the links", "MIX", () => [house.commit(LINK, { mix: other })]],
    ["a second deck", "SECOND_DECK", () => [house.commit(LINK), house.checkpoint(), house.commit(LINK)]],
    ["cards before a checkpoint covers the deck", "DEALT_EARLY", () => [house.commit(LINK), ...house.post(), house.deal()]],
    [
      "another card than the deck has",
      "OPENING",
      () => [house.commit(LINK), house.checkpoint(), house.deal(), house.own([1], { card: "2c" })],
    ],
    [
      "a card of another seat's",
      "POSITION",
      () => [house.commit(LINK), house.checkpoint(), house.deal(), house.own([0])],
    ],
    [
      "cards that do not come",
      "OPENING",
      () => [house.commit(LINK), house.checkpoint(), house.deal(), house.log("hand_ended", { hand: 1, stacks: [{ seat: 1, stack: 100 }, { seat: 2, stack: 100 }] })],
    ],
    [
      "positions out of order",
      "POSITION",
      () => [house.commit(LINK), house.checkpoint(), house.log("dealt", { hand: 1, positions: [{ position: 1, to: "seat", seat: 2 }] })],
    ],
    [
      "an act that it did not send",
      "NOT_MINE",
      () => [house.commit(LINK), house.checkpoint(), house.deal(), house.own(), house.fold()],
    ],
    [
      "a clock that acts too early",
      "NOT_MINE",
      () => [house.commit(LINK), house.checkpoint(), house.deal(), house.own(), house.fold("clock")],
    ],
    [
      "a void that comes before links are late",
      "LINE",
      () => [house.log("hand_void", { hand: 1, reason: "link_missing", secret: other, links: [], missing: [{ seat: 1, player: "ann" }, { seat: 2, player: "bea" }] })],
    ],
  ];
  it.each(cases)("%s", (_, reason, lie) => {
    opened();
    expect(hear(...lie())).toBe(reason);
  });
});

describe("what does not come in time", () => {
  it("is a checkpoint: five seconds after a line", () => {
    hear(house.openHand());
    const { deadline } = verifier;
    expect(deadline).toBe(now + 5_000);
    expect(verifier.overdue(now + 5_000)).toBeUndefined();
    expect(verifier.overdue(now + 5_001)?.reason).toBe("UNCOVERED");
  });

  it("is due anew when the stream broke", () => {
    hear(house.openHand());
    verifier.interrupted(now + 60_000, verifier.size);
    expect(verifier.overdue(now + 60_000)).toBeUndefined();
  });

  /** Has a stream break at a time, which told something or nothing. */
  function breakOff(at: number, tells = true): Reason | undefined {
    const nothing = { ...house.checkpoint(), checkpoint: "" };
    if (tells) verifier.receive(nothing, at);
    verifier.interrupted(at, verifier.size);
    return verifier.overdue(at)?.reason;
  }

  it("is put off by streams that break no longer than by the third that ends after 15 s", () => {
    hear(house.openHand());
    const reasons = [4_900, 9_800, 14_700, 19_600].map((after) => breakOff(now + after));
    expect(reasons).toEqual([undefined, undefined, undefined, "UNCOVERED"]);
    expect(hear(house.checkpoint())).toBe("UNCOVERED");
  });

  it("is not withheld by many breaks at once", () => {
    hear(house.openHand());
    for (let count = 0; count < 9; count += 1) expect(breakOff(now + 100)).toBeUndefined();
  });

  it("is not withheld by an outage, however long, and streams of which nothing comes", () => {
    hear(house.openHand());
    expect(breakOff(now + 600_000)).toBeUndefined();
    for (let count = 0; count < 9; count += 1) expect(breakOff(now + 600_000, false)).toBeUndefined();
    expect(breakOff(now + 601_000)).toBeUndefined();
    expect(breakOff(now + 602_000)).toBe("UNCOVERED");
  });

  it("are the player's cards, by the same rule", () => {
    expect(hear(house.openHand(), house.checkpoint())).toBe("fine");
    give();
    expect(hear(house.commit(LINK), house.checkpoint(), house.deal(), house.checkpoint())).toBe("fine");
    expect(verifier.deadline).toBe(now - 10 + 5_000);
    const reasons = [4_900, 9_800, 14_700, 19_600].map((after) => breakOff(now + after));
    expect(reasons).toEqual([undefined, undefined, undefined, "OPENING"]);
  });
});

describe("a void", () => {
  it("that calls missing the link it gave is told, and no breach", () => {
    hear(house.openHand(), house.checkpoint());
    give();
    house.now += 5_000;
    now += 5_000;
    const missing = [{ seat: 1, player: "ann" }, { seat: 2, player: "bea" }];
    const body = { hand: 1, reason: "link_missing", secret: LINK, links: [], missing };
    expect(hear(house.log("hand_void", body), house.checkpoint())).toBe("fine");
    expect(verifier.missed).toEqual([{ hand: 1, anchor: ANCHOR, sent: true }]);
  });
});
