/** By which headers a call about a game comes to its node, through a proxy (PROTOCOL.md section 11). */

import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";

import { Bearer } from "../src/bearer.js";
import { Caller } from "../src/calls.js";
import { readError } from "../src/errors.js";
import { ErrorInfoSchema, RetryInfoSchema } from "../src/generated/google/rpc/error_details_pb.js";
import { headersOf, Routes } from "../src/routes.js";
import { surroundings } from "../src/surroundings.js";

const GAME = "0123456789abcdef0123456789abcdef";
const NEXT = "f".repeat(32);
const TOKEN = `e30.${btoa(JSON.stringify({ sub: "ann" }))}.x`;

interface Heading {
  readonly game: string | null;
  readonly node: string | null;
}

function elsewhere(node: string): ConnectError {
  const metadata = { node, owner: "10.0.0.2:50051" };
  const value = { reason: "GAME_ELSEWHERE", domain: "cutcard.v1", metadata };
  return new ConnectError("elsewhere", Code.Unavailable, undefined, [{ desc: ErrorInfoSchema, value }]);
}

function moving(): ConnectError {
  const info = { reason: "GAME_MOVING", domain: "cutcard.v1", metadata: { retry_after_ms: "1" } };
  const retry = { retryDelay: { seconds: 0n, nanos: 1_000_000 } };
  return new ConnectError("moving", Code.Unavailable, undefined, [
    { desc: ErrorInfoSchema, value: info },
    { desc: RetryInfoSchema, value: retry },
  ]);
}

/** Makes calls about games that fail in turn, and says which headers each try bore. */
async function heading(routes: Routes, calls: readonly [game: string, ...faults: ConnectError[]][]): Promise<Heading[]> {
  const around = surroundings({ sleep: () => Promise.resolve() });
  const caller = new Caller(around, await Bearer.from(TOKEN), routes);
  const told: Heading[] = [];
  for (const [game, ...faults] of calls) {
    await caller.call(game, (_, { headers }) => {
      const borne = new Headers(headers);
      expect(borne.get("authorization")).toBe(`Bearer ${TOKEN}`);
      told.push({ game: borne.get("cutcard-game"), node: borne.get("cutcard-node") });
      const fault = faults.shift();
      return fault === undefined ? Promise.resolve() : Promise.reject(fault);
    });
  }
  return told;
}

describe("what a browser throws without a word", () => {
  it("is a call that was not answered, and says what may be wrong", () => {
    const cause = new TypeError("Failed to fetch");
    const refused = readError(new ConnectError(cause.message, Code.Unknown, undefined, undefined, cause));
    expect(refused.reason).toBe("UNAVAILABLE");
    expect(refused.message).toMatch(/not allow this page's origin \(Failed to fetch\)$/);
  });
});

describe("a call", () => {
  it("about a game bears its id, and the node that was named last", async () => {
    const routes = new Routes(["https://proxy.example.net"]);
    const calls: [string, ...ConnectError[]][] = [[GAME, elsewhere("a"), elsewhere("b")], [GAME], [NEXT]];
    expect(await heading(routes, calls)).toEqual([
      { game: GAME, node: null },
      { game: GAME, node: "a" },
      { game: GAME, node: "b" },
      { game: GAME, node: "b" },
      { game: NEXT, node: null },
    ]);
  });

  it("bears no node any more that did not answer, and the same one where it is to wait", async () => {
    const routes = new Routes(["https://proxy.example.net"]);
    const gone = new ConnectError("gone", Code.Unavailable);
    const late = new ConnectError("late", Code.DeadlineExceeded);
    const calls: [string, ...ConnectError[]][] = [
      [GAME, elsewhere("a"), moving(), gone, elsewhere("b"), late],
    ];
    const nodes = (await heading(routes, calls)).map((one) => one.node);
    expect(nodes).toEqual([null, "a", "a", null, "b", null]);
  });

  it("about the game that goes on from another begins with that one's node", async () => {
    const routes = new Routes(["https://proxy.example.net"]);
    expect(routes.nameOwner(GAME, "a")).toBe(true);
    routes.goOn(GAME, NEXT);
    expect(await heading(routes, [[NEXT]])).toEqual([{ game: NEXT, node: "a" }]);
  });

  it("that is about no game bears neither", () => {
    const routes = new Routes(["https://proxy.example.net"]);
    expect(headersOf(TOKEN, "", routes.of(""))).toEqual({ authorization: `Bearer ${TOKEN}` });
  });

  it.each(["", "a b", "a\nb", "ä", "a".repeat(129)])("is sent to no node of the name %j", async (node) => {
    const routes = new Routes(["https://proxy.example.net"]);
    await expect(heading(routes, [[GAME, elsewhere(node)]])).rejects.toMatchObject({ reason: "OWNER_REFUSED" });
  });
});
