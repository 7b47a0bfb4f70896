/**
 * A dealer of one game for two, in the test's own hands: it writes lines, signs checkpoints and
 * proves cards as PROTOCOL.md has it. The test says what happens, and may have it lie.
 */

import { ed25519 } from "@noble/curves/ed25519";

import { fromHex, hexOf, joined, utf8 } from "../../src/bytes.js";
import { encode, type Value } from "../../src/canonical.js";
import { cardLeaf, chainOf, labelled, mixOf, sha256, u64 } from "../../src/hashing.js";
import { leafHash, nodeHash, Tree } from "../../src/merkle.js";
import type { CardOpening, CardProof, Message } from "../../src/message.js";
import { NoteKey } from "../../src/note.js";

export const ORIGIN = "dealer.example.net";
export const GAME = "0123456789abcdef0123456789abcdef";
export const START = 1_767_225_600_000;
const SEED = new Uint8Array(32).fill(7);
const RANKS = "23456789TJQKA";
const SUITS = ["c", "d", "h", "s"];
const DECK = Array.from(RANKS).flatMap((rank) => SUITS.map((suit) => rank + suit));

export type Body = Readonly<Record<string, Value>>;

export const RULES = {
  variant: "holdem",
  structure: "no_limit",
  seats: 2,
  small_blind: 1,
  big_blind: 2,
  chip_unit: 1,
  buy_in_min: 1,
  buy_in_max: 1_000,
  button: "moving",
  newcomers: "next_hand",
  absent: "sit_out",
  show: "winners",
  all_in: "face_up",
  turn_ms: 10_000,
  link_ms: 5_000,
  pause_ms: 0,
  links: "optional",
  log_proof: "none",
  reveal: { policy: "all_cards", within_ms: 60_000 },
  max_hands: 20,
  max_ms: 3_600_000,
};

const EMPTY: Message = {
  first: 0,
  lines: [],
  proofs: [],
  checkpoint: "",
  decision: undefined,
  openings: [],
};

export class House {
  readonly key: NoteKey;
  readonly lines: Uint8Array[] = [];
  readonly #tree = new Tree();
  now = START;
  /** Bea's chain; she sits in seat 2, and the player under test in seat 1. */
  readonly bea = chainOf({ origin: ORIGIN, game: fromHex(GAME), player: "bea" }, SEED, 20);
  readonly #anchors = new Map<number, string>();
  readonly #secrets = new Map<number, Uint8Array>();
  #levels: Uint8Array[][] = [];
  #mix = "";
  hand = 0;

  constructor() {
    const raw = ed25519.getPublicKey(SEED);
    const id = sha256(joined(utf8(ORIGIN), Uint8Array.of(10, 1), raw)).slice(0, 4);
    const encoded = btoa(String.fromCharCode(1, ...raw));
    this.key = NoteKey.parse(`${ORIGIN}+${hexOf(id)}+${encoded}`);
  }

  /** Logs an entry, and gives the message that tells it. */
  log(kind: string, body: Body, more: Partial<Message> = {}): Message {
    this.now += 10;
    const line = utf8(encode({ at: this.now, [kind]: body }));
    this.#tree.append(leafHash(line));
    this.lines.push(line);
    return { ...EMPTY, first: this.lines.length - 1, lines: [line], ...more };
  }

  /** Signs all lines so far, or tells of a root of its own. */
  checkpoint(root = this.#tree.root()): Message {
    const encoded = btoa(String.fromCharCode(...root));
    const text = `${ORIGIN}/games/${GAME}\n${this.lines.length}\n${encoded}\n`;
    const stamp = joined(this.key.id, ed25519.sign(utf8(text), SEED));
    const signature = btoa(String.fromCharCode(...stamp));
    const checkpoint = `${text}\n\u2014 ${ORIGIN} ${signature}\n`;
    return { ...EMPTY, first: this.lines.length, checkpoint };
  }

  open(changes: Body = {}): Message {
    const rules = { ...RULES, ...changes };
    return this.log("game_opened", { suite: "cutcard/v1", origin: ORIGIN, game: GAME, rules });
  }

  sit(seat: number, player: string, anchor: string): Message {
    this.#anchors.set(seat, anchor);
    return this.log("seat_taken", { seat, player, stack: 100, anchor });
  }

  openHand(changes: Body = {}): Message {
    this.hand += 1;
    const secret = new Uint8Array(32).fill(this.hand);
    this.#secrets.set(this.hand, secret);
    const commitment = labelled("hand-commit", utf8(ORIGIN), fromHex(GAME), u64(this.hand), secret);
    const seats = [...this.#anchors].sort().map(([seat, anchor]) => {
      const player = seat === 1 ? "ann" : "bea";
      return { seat, player, stack: 100, state: "in", anchor };
    });
    return this.log("hand_opened", {
      hand: this.hand,
      commitment: hexOf(commitment),
      button: 1,
      small_blind_seat: 1,
      big_blind_seat: 2,
      seats,
      misses: [],
      voids: 0,
      ...changes,
    });
  }

  /** Commits the deck over ann's link and bea's, or over the links given. */
  commit(link: string, changes: Body = {}): Message {
    const place = { origin: ORIGIN, game: fromHex(GAME) };
    const before = this.bea.findIndex((one) => hexOf(one) === this.#anchors.get(2)) - 1;
    const links = [
      { seat: 1, player: "ann", link },
      { seat: 2, player: "bea", link: hexOf(this.bea[before] ?? SEED) },
    ];
    const secret = this.#secrets.get(this.hand) ?? SEED;
    const commitment = labelled("hand-commit", utf8(ORIGIN), place.game, u64(this.hand), secret);
    const given = links.map((one) => ({ ...one, link: fromHex(one.link) }));
    const mix = mixOf(ORIGIN, place.game, this.hand, commitment, given);
    this.#mix = hexOf(mix);
    this.#levels = [DECK.map((_, at) => cardLeaf(mix, at, cardAt(at), salt(at)))];
    for (let level = this.#levels[0] ?? []; level.length > 1; level = this.#levels.at(-1) ?? []) {
      const above: Uint8Array[] = [];
      for (let at = 0; at < level.length; at += 2) {
        const [left, right] = level.slice(at, at + 2);
        if (left !== undefined) above.push(right === undefined ? left : nodeHash(left, right));
      }
      this.#levels.push(above);
    }
    for (const one of links) this.#anchors.set(one.seat, one.link);
    return this.log("deck_committed", {
      hand: this.hand,
      links: links.map(({ seat, link: value }) => ({ seat, link: value })),
      mix: this.#mix,
      deck_root: hexOf(this.#levels.at(-1)?.[0] ?? SEED),
      ...changes,
    });
  }

  post(): Message[] {
    return [
      this.log("posted", { seat: 1, what: "small_blind", amount: 1 }),
      this.log("posted", { seat: 2, what: "big_blind", amount: 2 }),
    ];
  }

  /** Deals the hole cards: heads-up the big blind is first, so that ann has positions 1 and 3. */
  deal(): Message {
    const positions = [0, 1, 2, 3].map((position) => ({
      position,
      to: "seat",
      seat: position % 2 === 0 ? 2 : 1,
    }));
    return this.log("dealt", { hand: this.hand, positions });
  }

  /** Ann's own cards. */
  own(positions = [1, 3], changes: Partial<CardOpening> = {}): Message {
    const openings = positions.map((at) => ({ ...this.opening(at), ...changes }));
    return { ...EMPTY, first: this.lines.length, openings };
  }

  opening(position: number): CardOpening {
    const card = DECK[cardAt(position)] ?? "";
    return { hand: this.hand, position, card, salt: salt(position), proof: this.proof(position).proof };
  }

  proof(position: number): CardProof {
    const proof: Uint8Array[] = [];
    let at = position;
    for (const level of this.#levels.slice(0, -1)) {
      const sibling = level[at ^ 1];
      if (sibling !== undefined) proof.push(sibling);
      at >>= 1;
    }
    return { hand: this.hand, position, proof };
  }

  turn(seat: number, turn: number): Message {
    const decision = {
      hand: this.hand,
      turn,
      seat,
      mayCheck: false,
      call: 1,
      callTo: 2,
      bet: undefined,
      raise: { from: 4, to: 100 },
      noRaiseBecause: "",
      deadline: this.now + 10_000,
      bankMs: 0,
      presets: [],
    };
    return { ...EMPTY, first: this.lines.length, decision };
  }

  /** Ann folds by what she sent, or by whatever is said. */
  fold(by = "player"): Message {
    return this.log("acted", { seat: 1, act: "fold", to: 1, by, turn: 1 });
  }

  end(): Message[] {
    const hand = this.hand;
    return [
      this.log("returned", { seat: 2, amount: 1 }),
      this.log("awarded", { pot: 0, amount: 2, rake: 0, board: 1, winners: [{ seat: 2, amount: 2 }] }),
      this.log("hand_ended", { hand, stacks: [{ seat: 1, stack: 99 }, { seat: 2, stack: 101 }] }),
    ];
  }

  close(): Message[] {
    const stacks = [
      { seat: 1, player: "ann", stack: 99 },
      { seat: 2, player: "bea", stack: 101 },
    ];
    const secret = hexOf(this.#secrets.get(this.hand) ?? SEED);
    return [
      this.log("game_closed", { reason: "operator", stacks }),
      this.log("secret_revealed", { hand: this.hand, secret }),
    ];
  }
}

/** The deck of every hand: any order does, since a client sees cards and proofs alone. */
function cardAt(position: number): number {
  return (position * 5 + 3) % 52;
}

function salt(position: number): Uint8Array {
  return new Uint8Array(16).fill(position + 1);
}
