/** The project's own vectors, and known answers from elsewhere: chains, mixes, cards, notes, keys. */

import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { findFault, QUICKNET, type Network } from "../src/beacon.js";
import { fromHex, hexOf, utf8 } from "../src/bytes.js";
import { isProved } from "../src/cards.js";
import { VerifyKey } from "../src/ed25519.js";
import { follows, labelled, mixOf, u64 } from "../src/hashing.js";
import { leafHash, Tree } from "../src/merkle.js";
import { NoteError, NoteKey, openCheckpoint } from "../src/note.js";
import { evidenceText, type Reason } from "../src/refusing.js";

// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- it says what is read
function read<T>(path: string): T {
  return JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), "utf-8")) as T;
}

interface Deal {
  readonly origin: string;
  readonly game: string;
  readonly hand: number;
  readonly hand_secret: string;
  readonly links: readonly { seat: number; player: string; link: string; anchor: string }[];
  readonly beacon: { chain: string; round: number; randomness: string } | null;
  readonly expect: {
    readonly hand_commitment: string;
    readonly mix: string;
    readonly deck: string;
    readonly deck_root: string;
    readonly salts: readonly string[];
    readonly proofs: Readonly<Record<string, readonly string[]>>;
  };
}

describe("deals", () => {
  for (const deal of read<Deal[]>("proto/vectors/deal.json")) {
    const game = fromHex(deal.game);
    const links = deal.links.map((one) => ({ ...one, link: fromHex(one.link) }));
    const name = `hand ${deal.hand} of ${deal.game} with ${links.length} links`;

    it(`mixes ${name}`, () => {
      const secret = fromHex(deal.hand_secret);
      const place = [utf8(deal.origin), game, u64(deal.hand)];
      const commitment = labelled("hand-commit", ...place, secret);
      expect(hexOf(commitment)).toBe(deal.expect.hand_commitment);
      const beacon = deal.beacon && {
        chain: fromHex(deal.beacon.chain),
        round: deal.beacon.round,
        randomness: fromHex(deal.beacon.randomness),
      };
      const given = [...links].reverse();
      const mix = mixOf(deal.origin, game, deal.hand, commitment, given, beacon ?? undefined);
      expect(hexOf(mix)).toBe(deal.expect.mix);
      for (const { player, link, anchor } of links) {
        const where = { origin: deal.origin, game, player };
        expect(follows(where, link, fromHex(anchor))).toBe(true);
        expect(follows({ ...where, player: "other" }, link, fromHex(anchor))).toBe(false);
      }
    });

    it(`proves the cards of ${name}, and no others`, () => {
      const cards = deal.expect.deck.split(" ");
      const root = fromHex(deal.expect.deck_root);
      const mix = fromHex(deal.expect.mix);
      for (const [at, path] of Object.entries(deal.expect.proofs)) {
        const position = Number(at);
        const proof = path.map((hash) => fromHex(hash));
        const salt = fromHex(deal.expect.salts[position] ?? "");
        const shown = { position, card: cards[position] ?? "", salt, proof };
        expect(isProved(root, mix, shown)).toBe(true);
        const other = cards[(position + 1) % 52] ?? "";
        expect(isProved(root, mix, { ...shown, card: other })).toBe(false);
        expect(isProved(root, mix, { ...shown, position: (position + 1) % 52 })).toBe(false);
        expect(isProved(root, mix, { ...shown, proof: [...proof, root] })).toBe(false);
        expect(isProved(root, mix, { ...shown, proof: proof.slice(1) })).toBe(false);
      }
    });
  }
});

interface Log {
  readonly vkey: string;
  readonly log_origin: string;
  readonly lines: readonly string[];
  readonly leaf_hashes: readonly string[];
  readonly roots: readonly string[];
  readonly notes: readonly string[];
}

describe("checkpoints", () => {
  for (const log of read<Log[]>("proto/vectors/checkpoint.json")) {
    it(`of ${log.log_origin} are of its lines`, () => {
      const tree = new Tree();
      const key = NoteKey.parse(log.vkey);
      for (const line of log.lines) tree.append(leafHash(utf8(line)));
      log.roots.forEach((root, index) => {
        expect(hexOf(tree.root(index + 1))).toBe(root);
      });
      for (const note of log.notes) {
        const { size, root } = openCheckpoint(note, key, log.log_origin);
        expect(hexOf(root)).toBe(hexOf(tree.root(size)));
        expect(() => openCheckpoint(note, key, `${log.log_origin}0`)).toThrow(NoteError);
        const forged = note.replace(`\n${size}\n`, `\n${size + 1}\n`);
        expect(() => openCheckpoint(forged, key, log.log_origin)).toThrow("does not hold");
      }
    });
  }
});

interface Edge {
  readonly id: string;
  readonly pk: string;
  readonly msg: string;
  readonly sig: string;
  readonly properties: { readonly a_order: string; readonly r_order: string };
  readonly verdicts: { readonly rfc8032_cofactorless: boolean };
}

describe("Ed25519", () => {
  it.each(read<{ cases: Edge[] }>("tests/data/kat/ed25519_edge.json").cases)(
    "judges $id by the strict rule",
    ({ pk, msg, sig, properties, verdicts }) => {
      const isInGroup = properties.a_order === "L" && properties.r_order === "L";
      const key = VerifyKey.of(fromHex(pk));
      const verdict = key?.verifies(fromHex(sig), fromHex(msg)) ?? false;
      expect(verdict).toBe(isInGroup && verdicts.rfc8032_cofactorless);
    },
  );
});

interface Notes {
  readonly vkeys: { readonly valid: string[]; readonly invalid: { vkey: string; why: string }[] };
}

describe("verifier keys", () => {
  it.each(read<Notes>("tests/data/kat/notes.json").vkeys.invalid)("refuses one: $why", ({ vkey }) => {
    expect(() => NoteKey.parse(vkey)).toThrow(NoteError);
  });
});

interface EvidenceCase {
  readonly what: string;
  readonly game: string;
  readonly key: string;
  readonly player: string;
  readonly reason: Reason;
  readonly detail: string;
  readonly lines: readonly string[];
  readonly checkpoints: readonly { size: number; note: string }[];
  readonly kept: string;
  readonly proof: string;
  readonly received: {
    readonly first: number;
    readonly lines: readonly string[];
    readonly checkpoint: string;
    readonly proofs: readonly { hand: number; position: number; proof: string[] }[];
    readonly openings: readonly { hand: number; position: number; card: string; salt: string; proof: string[] }[];
  } | null;
  readonly text: string;
}

describe("the evidence of a refusal", () => {
  // This client asks for no proof from the dealer's log.
  const cases = read<EvidenceCase[]>("proto/vectors/evidence.json").filter((one) => one.proof === "");

  it.each(cases)("is that of the vectors, where $what", (one) => {
    const { game, reason, detail, lines, kept, received } = one;
    const bytes = (each: readonly string[]): Uint8Array[] => each.map((hex) => fromHex(hex));
    const evidence = {
      lines,
      checkpoints: new Map(one.checkpoints.map(({ size, note }) => [size, note])),
      kept: kept === "" ? undefined : kept,
      received: received === null ? undefined : {
        first: received.first,
        lines: bytes(received.lines),
        checkpoint: received.checkpoint,
        proofs: received.proofs.map((each) => ({ ...each, proof: bytes(each.proof) })),
        openings: received.openings.map((each) => {
          return { ...each, salt: fromHex(each.salt), proof: bytes(each.proof) };
        }),
        decision: undefined,
      },
    };
    const refused = { type: "refused", game, reason, detail, evidence } as const;
    expect(evidenceText(refused, one.key, one.player)).toBe(one.text);
  });
});

interface Drand {
  readonly rounds: readonly { round: number; time: number; signature: string; randomness: string }[];
  readonly must_be_refused: readonly {
    why: string;
    round: number;
    signature: string;
    randomness: string;
  }[];
}

describe("the beacon", () => {
  const { rounds, must_be_refused } = read<Drand>("tests/data/kat/drand_quicknet.json");
  const networks: Network[] = [QUICKNET];
  const due = (round: number): number =>
    QUICKNET.genesis + QUICKNET.period * (round - 1) - 6_000;

  it.each(rounds)("takes round $round at its time", (one) => {
    expect(findFault(QUICKNET.chain, networks, due(one.round), one)).toBeUndefined();
    expect(findFault(QUICKNET.chain, networks, due(one.round) + 1, one)).toContain("asks for round");
  });

  it.each(must_be_refused)("refuses $why", (one) => {
    expect(findFault(QUICKNET.chain, networks, due(one.round), one)).toBeDefined();
  });
});
