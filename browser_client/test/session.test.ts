/** A seat over calls and a stream: it gives its link, asks again, goes on after a reload, follows. */

import "fake-indexeddb/auto";

import { Code, ConnectError, createRouterTransport, type HandlerContext } from "@connectrpc/connect";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";

import { hexOf } from "../src/bytes.js";
import {
  Dealer,
  IndexedDbKeeping,
  KeepingError,
  MemoryKeeping,
  PATIENCE,
  type Drawer,
  type Event,
  type Keeping,
  type Line,
  type Seat,
  type Surroundings,
} from "../src/index.js";
import { FairnessService } from "../src/generated/cutcard/v1/fairness_pb.js";
import { Act, PlayService, type ActRequest, type TakeSeatRequest } from "../src/generated/cutcard/v1/play_pb.js";
import { ErrorInfoSchema, RetryInfoSchema } from "../src/generated/google/rpc/error_details_pb.js";
import type { Message } from "../src/message.js";
import { clock } from "../src/surroundings.js";
import { GAME, House } from "./support/house.js";

const TOKEN = `e30.${btoa(JSON.stringify({ sub: "ann" }))}.x`;
const ADDRESS = "https://dealer.example.net";

/** What a house tells, over calls: each message goes to every stream that is open. */
class Wire {
  readonly house = new House();
  readonly told: Message[] = [];
  readonly seats: TakeSeatRequest[] = [];
  readonly links: { hand: number; link: string }[] = [];
  readonly acts: ActRequest[] = [];
  readonly nodes: (string | null)[] = [];
  /** What the next calls of a method meet, before they have an effect. */
  readonly faults: ConnectError[] = [];
  mySeat = 0;
  /** Streams that are open are told nothing, though they are not at their end. */
  isMute = false;
  breaks = 0;
  /** How often the log's size was asked for. */
  sizes = 0;
  #wake: (() => void)[] = [];

  tell(...messages: Message[]): void {
    this.told.push(...messages);
    this.#rouse();
  }

  breakStreams(): void {
    this.breaks += 1;
    this.#rouse();
  }

  #rouse(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }

  #meet(context: HandlerContext): void {
    this.nodes.push(context.requestHeader.get("cutcard-node"));
    expect(context.requestHeader.get("authorization")).toBe(`Bearer ${TOKEN}`);
    const fault = this.faults.shift();
    if (fault !== undefined) throw fault;
  }

  transport = () =>
    createRouterTransport(({ service }) => {
      service(FairnessService, {
        listEntries: () => ({ first: 0n, lines: this.house.lines.slice(0, 1), size: 1n }),
      });
      service(PlayService, {
        getTable: () => {
          this.sizes += 1;
          return { game: GAME, mySeat: this.mySeat, size: BigInt(this.house.lines.length) };
        },
        takeSeat: (request, context) => {
          this.seats.push(request);
          this.#meet(context);
          this.mySeat = 1;
          return { seat: 1, size: 2n };
        },
        giveLink: (request, context) => {
          this.links.push({ hand: Number(request.hand), link: hexOf(request.link) });
          this.#meet(context);
          return {};
        },
        act: (request, context) => {
          this.acts.push(request);
          this.#meet(context);
          return { size: 1n };
        },
        watch: (request, context) => this.#watch(Number(request.from), context.signal),
      });
    });

  async *#watch(from: number, signal: AbortSignal) {
    const broken = this.breaks;
    for (let next = 0; ; next += 1) {
      while (next >= this.told.length || this.isMute) {
        if (this.breaks !== broken) throw new ConnectError("gone", Code.Unavailable);
        if (signal.aborted) return;
        await new Promise<void>((wake) => {
          this.#wake.push(wake);
          signal.addEventListener("abort", () => { wake(); }, { once: true });
        });
      }
      const one = this.told[next];
      if (one === undefined || (one.lines.length > 0 && one.first < from)) continue;
      yield {
        first: BigInt(one.first),
        lines: [...one.lines],
        checkpoint: one.checkpoint,
        ...(one.decision && {
          decision: {
            ...one.decision,
            hand: BigInt(one.decision.hand),
            turn: BigInt(one.decision.turn),
            call: BigInt(one.decision.call),
            callTo: BigInt(one.decision.callTo),
            raise: { from: 4n, to: 100n },
            bet: undefined,
            deadline: BigInt(one.decision.deadline),
            bankMs: 0n,
            presets: [],
          },
        }),
        openings: one.openings.map((each) => ({ ...each, hand: BigInt(each.hand), proof: [...each.proof] })),
      };
    }
  }
}

function refusal(reason: string, metadata: Record<string, string>, code: Code, wait?: bigint): ConnectError {
  const details = [{ desc: ErrorInfoSchema, value: { reason, domain: "cutcard.v1", metadata } }];
  const retry = { desc: RetryInfoSchema, value: { retryDelay: { seconds: wait ?? 0n, nanos: 0 } } };
  return new ConnectError("no", code, undefined, wait === undefined ? details : [...details, retry]);
}

let wire: Wire;
let slept: number[];

async function sit(keeping: Keeping, around: Partial<Surroundings> = {}): Promise<Seat> {
  const dealer = await Dealer.connect({
    address: ADDRESS,
    token: TOKEN,
    key: wire.house.key.text,
    keeping,
    transport: wire.transport,
    surroundings: {
      sleep: (milliseconds) => {
        slept.push(milliseconds);
        return Promise.resolve();
      },
      ...around,
    },
  });
  return dealer.takeSeat(GAME, { stack: 100 });
}

async function hear(seat: Seat, type: Event["type"]): Promise<Event> {
  const events = seat[Symbol.asyncIterator]();
  for (;;) {
    const heard = await events.next();
    if (heard.done === true) throw new Error(`the seat ended without ${type}`);
    if (heard.value.type === type) return heard.value;
  }
}

/** Tells that ann sits, and bea. */
function seatBoth(): void {
  const { house } = wire;
  const bea = hexOf(house.bea.at(-1) ?? new Uint8Array());
  wire.tell(house.sit(1, "ann", hexOf(wire.seats[0]?.anchor ?? new Uint8Array())));
  wire.tell(house.sit(2, "bea", bea), house.checkpoint());
}

beforeEach(() => {
  wire = new Wire();
  slept = [];
  wire.tell(wire.house.open(), wire.house.checkpoint());
});

describe("a seat", () => {
  it("gives its link, tells its cards and its turn, and acts", async () => {
    const { house } = wire;
    const seat = await sit(new MemoryKeeping());
    seatBoth();
    wire.tell(house.openHand(), house.checkpoint());
    await hear(seat, "link_given");
    const [given] = wire.links;
    wire.tell(house.commit(given?.link ?? ""), house.checkpoint(), ...house.post(), house.deal(), house.own());
    const mixed = await hear(seat, "deck_mixed");
    expect(mixed).toMatchObject({ hand: 1, mine: true, links: 2, players: 2 });
    expect(await hear(seat, "my_cards")).toMatchObject({ cards: seat.table.cards });
    wire.tell(house.checkpoint(), house.turn(1, 1));
    await hear(seat, "my_turn");
    await expect(seat.check()).rejects.toThrow("fold, call 1, raise to between 4 and 100");
    await expect(seat.raiseTo(3)).rejects.toThrow("raise to between 4 and 100");
    await seat.fold();
    expect(wire.acts.map((one) => [one.act, one.turn])).toEqual([[Act.FOLD, 1n]]);
    await expect(seat.fold()).rejects.toThrow("under way");
    wire.tell(house.fold(), ...house.end(), house.checkpoint());
    await hear(seat, "hand_over");
    const record = seat.record()?.text.trimEnd().split("\n").map((line) => Object.keys(JSON.parse(line) as object));
    expect(record).toEqual([
      ["format", "game", "key", "origin", "player"],
      ["anchor"],
      ["link"],
      ["checkpoint"],
    ]);
    await seat.close();
  });

  it("asks again by the same id where a call did not come through", async () => {
    wire.faults.push(new ConnectError("gone", Code.Unavailable), new ConnectError("gone", Code.Unavailable));
    const seat = await sit(new MemoryKeeping());
    expect(wire.seats).toHaveLength(3);
    expect(new Set(wire.seats.map((one) => one.requestId)).size).toBe(1);
    await seat.close();
  });

  it("waits as long as it is told to", async () => {
    wire.faults.push(refusal("RATE_LIMITED", { retry_after_ms: "2000" }, Code.ResourceExhausted, 2n));
    const seat = await sit(new MemoryKeeping());
    expect(Math.floor((slept[0] ?? 0) / 1_000)).toBe(2);
    await seat.close();
  });

  it("goes to the node that deals the game, at once", async () => {
    wire.faults.push(refusal("GAME_ELSEWHERE", { node: "dealer-b", owner: "10.0.0.2:50051" }, Code.Unavailable));
    const seat = await sit(new MemoryKeeping());
    expect(wire.nodes).toEqual([null, "dealer-b"]);
    expect(slept).toEqual([0]);
    await seat.close();
  });

  it("is not taken where the dealer refuses, and says why", async () => {
    wire.faults.push(refusal("STACK_NOT_ALLOWED", { buy_in_max: "50" }, Code.FailedPrecondition));
    await expect(sit(new MemoryKeeping())).rejects.toMatchObject({
      reason: "STACK_NOT_ALLOWED",
      refusal: { metadata: { buy_in_max: "50" } },
    });
  });

  it("sends nothing more to a dealer that broke the protocol, and never comes back", async () => {
    const { house } = wire;
    const keeping = new MemoryKeeping();
    const seat = await sit(keeping);
    seatBoth();
    wire.tell(house.openHand(), house.checkpoint(new Uint8Array(32)));
    expect(await hear(seat, "refused")).toMatchObject({ reason: "ROOT" });
    expect(wire.links).toEqual([]);
    await expect(seat.leave()).rejects.toThrow("ROOT");
    expect(seat.evidence()?.text).toContain('"reason":"ROOT"');
    expect(seat.record()?.text).toContain('"refused"');
    await seat.close();
    await expect(sit(keeping)).rejects.toThrow("the client left this game: ROOT");
  });
});

describe("who only watches", () => {
  it("has the evidence, too", async () => {
    const { house } = wire;
    const dealer = await Dealer.connect({ address: ADDRESS, token: TOKEN, key: house.key.text, keeping: new MemoryKeeping(), transport: wire.transport });
    const spectator = await dealer.watch(GAME);
    expect(spectator.evidence()).toBeUndefined();
    wire.tell(house.sit(1, "ann", "33".repeat(32)), house.checkpoint(new Uint8Array(32)));
    const events: Event[] = [];
    for await (const event of spectator) events.push(event);
    expect(events.at(-1)).toMatchObject({ type: "refused", reason: "ROOT" });
    const file = spectator.evidence();
    expect(file?.name).toBe(`${GAME}.evidence`);
    expect(JSON.parse(file?.text.split("\n")[0] ?? "")).toMatchObject({ format: "cutcard-evidence/1", player: "" });
    await dealer.close();
  });
});

describe("a page that is reloaded", () => {
  beforeAll(() => {
    const held = new Set<string>();
    const locks = {
      request: async (name: string, _: unknown, work: (lock: unknown) => unknown) => {
        if (held.has(name)) return work(null);
        held.add(name);
        try {
          return await work({});
        } finally {
          held.delete(name);
        }
      },
    };
    Object.defineProperty(globalThis, "navigator", { value: { locks }, configurable: true });
  });

  const keepings: [string, () => Keeping][] = [
    ["memory", () => new MemoryKeeping()],
    ["IndexedDB", () => new IndexedDbKeeping(`test-${Math.random()}`)],
  ];
  it.each(keepings)("gives the same link again, from %s, and asks for no other seat", async (_, make) => {
    const { house } = wire;
    const keeping = make();
    const before = await sit(keeping);
    seatBoth();
    wire.tell(house.openHand(), house.checkpoint());
    await hear(before, "link_given");
    await expect(keeping.open(GAME, "ann")).rejects.toThrow("another page");
    await before.close();
    const after = await sit(keeping);
    await hear(after, "link_given");
    expect(wire.seats).toHaveLength(1);
    expect(wire.links).toHaveLength(2);
    expect(wire.links[0]).toEqual(wire.links[1]);
    await after.close();
    const kept = await keeping.open(GAME, "ann");
    expect(kept.lines("record")).toHaveLength(3);
    expect(kept.lines("chain")).toHaveLength(3);
    kept.close();
  });
});

describe("a page that is reloaded before another history", () => {
  it("refuses it, and gives its link no second time", async () => {
    const keeping = new MemoryKeeping();
    const before = await sit(keeping);
    seatBoth();
    wire.tell(wire.house.openHand(), wire.house.checkpoint());
    await hear(before, "link_given");
    await before.close();
    const { links, seats } = wire;
    wire = new Wire();
    wire.mySeat = 1;
    wire.seats.push(...seats);
    wire.tell(wire.house.open(), wire.house.checkpoint());
    seatBoth();
    wire.tell(wire.house.openHand({ commitment: "22".repeat(32) }), wire.house.checkpoint());
    const after = await sit(keeping);
    expect(await hear(after, "refused")).toMatchObject({ reason: "ROOT" });
    expect(links).toHaveLength(1);
    expect(wire.links).toEqual([]);
    await after.close();
  });
});

describe("a page that is reloaded, before its log is held to what it kept", () => {
  it("sends nothing, and tells no turn", async () => {
    const { house } = wire;
    const keeping = new MemoryKeeping();
    const before = await sit(keeping);
    seatBoth();
    wire.tell(house.openHand(), house.checkpoint());
    await hear(before, "link_given");
    wire.tell(house.commit(wire.links[0]?.link ?? ""), house.checkpoint());
    await hear(before, "deck_mixed");
    await before.close();
    // The last line that was signed, and its checkpoint, are told again later.
    const kept = wire.told.splice(-2);
    const after = await sit(keeping);
    await hear(after, "hand_opened");
    const sitting = after.sitOut();
    sitting.catch(() => undefined);
    wire.tell(kept[0] ?? house.checkpoint());
    await hear(after, "deck_mixed");
    expect(wire.links).toHaveLength(1);
    expect(after.table.seats).toHaveLength(2);
    expect(await Promise.race([sitting, Promise.resolve("waits")])).toBe("waits");
    wire.tell(kept[1] ?? house.checkpoint());
    await expect(sitting).rejects.toMatchObject({ refusal: { code: "Unimplemented" } });
    await after.close();
  });

  it("sends nothing when it is closed meanwhile", async () => {
    const keeping = new MemoryKeeping();
    const before = await sit(keeping);
    seatBoth();
    wire.tell(wire.house.openHand(), wire.house.checkpoint());
    await hear(before, "link_given");
    await before.close();
    wire.isMute = true;
    const after = await sit(keeping);
    const sitting = after.sitOut();
    const refused = expect(sitting).rejects.toMatchObject({ reason: "NOT_FOLLOWED" });
    await after.close();
    await refused;
  });
});

describe("a storage that is full", () => {
  /** Keeps in memory, and has no place for some drawers. */
  function fullFor(full: readonly Drawer[]): Keeping {
    const keeping = new MemoryKeeping();
    return {
      open: async (game, player) => {
        const kept = await keeping.open(game, player);
        const append = (...lines: Line[]) =>
          lines.some(([drawer]) => full.includes(drawer))
            ? Promise.reject(new KeepingError("no place"))
            : kept.append(...lines);
        return { lines: (drawer) => kept.lines(drawer), append, close: () => { kept.close(); } };
      },
    };
  }

  it("hides no refusal, and the client still never comes back", async () => {
    const keeping = fullFor(["evidence"]);
    const seat = await sit(keeping);
    seatBoth();
    wire.tell(wire.house.openHand(), wire.house.checkpoint(new Uint8Array(32)));
    expect(await hear(seat, "refused")).toMatchObject({ reason: "ROOT" });
    expect(seat.evidence()?.text).toContain('"reason":"ROOT"');
    await seat.close();
    await expect(sit(keeping)).rejects.toThrow("the client left this game: ROOT");
  });

  it("lets no link go that is not kept", async () => {
    const full: Drawer[] = [];
    const seat = await sit(fullFor(full));
    seatBoth();
    await hear(seat, "table_changed");
    full.push("record");
    wire.tell(wire.house.openHand(), wire.house.checkpoint());
    await expect(hear(seat, "link_given")).rejects.toThrow("no place");
    expect(wire.links).toEqual([]);
    await seat.close();
  });
});

describe("a seat that is closed", () => {
  it("sends nothing more", async () => {
    const { house } = wire;
    const seat = await sit(new MemoryKeeping());
    seatBoth();
    wire.tell(house.openHand(), house.checkpoint());
    await hear(seat, "link_given");
    await seat.close();
    await expect(seat.sitOut()).rejects.toMatchObject({ reason: "NOT_FOLLOWED" });
  });

  it("is closed also where it was about to go on in the next game", async () => {
    const { house } = wire;
    const next = "f".repeat(32);
    const memory = new MemoryKeeping();
    let open: () => void = () => undefined;
    let asked: () => void = () => undefined;
    const opens = new Promise<void>((resolve) => (open = resolve));
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const seat = await sit({
      open: async (game, player) => {
        if (game === next) {
          asked();
          await opens;
        }
        return memory.open(game, player);
      },
    });
    seatBoth();
    const stacks = [{ seat: 1, player: "ann", stack: 100 }, { seat: 2, player: "bea", stack: 100 }];
    wire.tell(house.log("game_closed", { reason: "operator", stacks, next }), house.checkpoint());
    await isAsked;
    // A stream of the next game would go on for ever.
    wire.isMute = true;
    const closing = seat.close();
    open();
    await closing;
    expect(wire.links).toEqual([]);
    // Nobody holds it any more.
    (await memory.open(next, "ann")).close();
  });
});

describe("what the player did in another browser", () => {
  it("is blamed on nobody", async () => {
    const { house } = wire;
    wire.tell(house.sit(1, "ann", "33".repeat(32)), house.log("seat_left", { seat: 1, player: "ann", stack: 100 }), house.checkpoint());
    const keeping = new MemoryKeeping();
    const seat = await sit(keeping);
    await expect(hear(seat, "refused")).rejects.toThrow("another browser");
    expect(seat.refused).toBeUndefined();
    await seat.close();
    const kept = await keeping.open(GAME, "ann");
    expect(kept.lines("record").join("")).not.toContain("refused");
    kept.close();
  });
});

describe("a stream that breaks", () => {
  it("goes on from the first line that no checkpoint covers", async () => {
    const { house } = wire;
    const seat = await sit(new MemoryKeeping());
    seatBoth();
    wire.tell(house.openHand(), house.checkpoint());
    await hear(seat, "link_given");
    wire.breakStreams();
    await hear(seat, "disconnected");
    wire.tell(house.commit(wire.links[0]?.link ?? ""), house.checkpoint());
    expect(await hear(seat, "deck_mixed")).toMatchObject({ mine: true });
    await seat.close();
  });
});

describe("a checkpoint that the dealer withholds", () => {
  /** A seat whose line is under none, and its clock, which stands. */
  async function waiting(): Promise<{ seat: Seat; time: { now: number } }> {
    const time = { now: 0 };
    const seat = await sit(new MemoryKeeping(), { monotonic: () => time.now });
    seatBoth();
    await hear(seat, "table_changed");
    await hear(seat, "table_changed");
    wire.tell(wire.house.log("paused", {}));
    await hear(seat, "table_changed");
    return { seat, time };
  }

  /** Ends streams when their time is over; says how many it took to a refusal. */
  async function refusedAfter(seat: Seat, time: { now: number }, end: () => void): Promise<number> {
    for (let streams = 1; streams < 9; streams += 1) {
      time.now += 5_100;
      const asked = wire.sizes;
      end();
      await hear(seat, "disconnected");
      // Once when the stream begins anew, once when it has told something.
      while (wire.sizes < asked + 2 && seat.refused === undefined) {
        await new Promise((turn) => setTimeout(turn));
      }
      if (seat.refused !== undefined) return streams;
    }
    throw new Error("it is not refused");
  }

  const more = (): void => {
    wire.tell({ ...wire.house.log("seat_taken", { seat: 3, player: `p${wire.told.length}`, stack: 100 }) });
    wire.tell({ ...wire.house.log("seat_left", { seat: 3, player: `p${wire.told.length - 1}`, stack: 100 }) });
  };

  it.each([
    ["goes on talking", more],
    ["breaks its streams", () => { wire.breakStreams(); }],
  ])("has it refused where it %s", async (_, end) => {
    const { seat, time } = await waiting();
    expect(await refusedAfter(seat, time, end)).toBe(3);
    expect(seat.refused?.reason).toBe("UNCOVERED");
    await expect(seat.sitOut()).rejects.toMatchObject({ reason: "UNCOVERED" });
    await seat.close();
  });

  it("is no fault of the dealer's where the page was slow itself", async () => {
    const { house } = wire;
    const { seat, time } = await waiting();
    time.now += 60_000;
    wire.tell(house.log("resumed", {}), house.checkpoint());
    expect(await hear(seat, "disconnected")).toMatchObject({ why: "what the dealer owes did not come in time" });
    wire.tell(house.log("paused", {}), house.checkpoint());
    await hear(seat, "table_changed");
    expect(seat.refused).toBeUndefined();
    await seat.close();
  });
});

describe("a stream whose connection is gone without a word", () => {
  it("is asked for after a while, and begun anew", async () => {
    const { house } = wire;
    const patience = { ...PATIENCE, quiet: 20, longestWait: 20 };
    const seat = await sit(new MemoryKeeping(), { patience });
    seatBoth();
    await hear(seat, "table_changed");
    await hear(seat, "table_changed");
    wire.tell({ ...house.log("paused", {}), checkpoint: house.checkpoint().checkpoint });
    await hear(seat, "table_changed");
    wire.isMute = true;
    wire.tell(house.openHand(), house.checkpoint());
    expect(await hear(seat, "disconnected")).toMatchObject({ why: "the stream is dead" });
    wire.isMute = false;
    await hear(seat, "hand_opened");
    await hear(seat, "link_given");
    await seat.close();
  });
});

describe("the page's clock", () => {
  it("counts the machine's sleep, and never goes back", () => {
    let steady = 1_000;
    let wall = 50_000;
    const now = clock(() => steady, () => wall);
    expect(now()).toBe(1_000);
    wall += 60_000;
    expect(now()).toBe(61_000);
    wall -= 60_000;
    steady += 10;
    expect(now()).toBe(61_000);
    steady += 70_000;
    expect(now()).toBe(71_010);
  });
});

describe("an address", () => {
  it("is https, or of this machine", async () => {
    const connect = (address: string) => Dealer.connect({ address, token: TOKEN, keeping: new MemoryKeeping() });
    await expect(connect("http://dealer.example.net")).rejects.toThrow("in the clear");
    await expect(connect("http://127.0.0.1:8080")).resolves.toBeDefined();
  });
});
