/**
 * The beacon's round in a deck, where the rules of the game name a beacon (PROTOCOL.md section 2).
 * The randomness must be the hash of the signature; of a network that is known here (quicknet) the
 * round must be the one that the opening asks for, and the signature the network's.
 */

import { bls12_381 } from "@noble/curves/bls12-381";

import { fromHex, hexOf, isSame } from "./bytes.js";
import { sha256, u64 } from "./hashing.js";
import type { BodyOf } from "./lines.js";

/** A network of drand with the scheme bls-unchained-g1-rfc9380; times in milliseconds. */
export interface Network {
  readonly chain: string;
  readonly publicKey: string;
  readonly genesis: number;
  readonly period: number;
}

type LoggedRound = NonNullable<BodyOf<"deck_committed">["beacon"]>;

const LEAD_MS = 6_000;
const DATED_MS = 5_000;
const SIGNATURE_BYTES = 48;
const DOMAIN = "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";

/** The League of Entropy's quicknet. */
export const QUICKNET: Network = {
  chain: "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
  publicKey:
    "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c" +
    "8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb" +
    "5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
  genesis: 1_692_803_367_000,
  period: 3_000,
};

/** The round that a hand mixes in which opened at that time, in milliseconds. */
function roundOf(network: Network, openedAt: number): number {
  const since = openedAt + LEAD_MS - network.genesis;
  return since <= 0 ? 1 : 1 + Math.ceil(since / network.period);
}

/** Says what is wrong with a logged round; undefined where nothing is. */
export function findFault(
  chain: string,
  networks: readonly Network[],
  openedAt: number,
  logged: LoggedRound,
): string | undefined {
  const signature = fromHex(logged.signature);
  if (hexOf(sha256(signature)) !== logged.randomness) {
    return "the beacon's randomness is not the hash of its signature";
  }
  const network = networks.find((one) => one.chain === chain);
  if (network === undefined) return undefined;
  const due = roundOf(network, openedAt);
  if (logged.round !== due) {
    return `the beacon's round is ${logged.round}, and the opening asks for round ${due}`;
  }
  if (!isSigned(network, logged.round, signature)) {
    return `the signature of round ${logged.round} is not that of the beacon`;
  }
  return undefined;
}

/**
 * Whether an opening is of now, by the client's own clock: one that tells an earlier time than its
 * own could have been made for a round that was out.
 */
export function isDated(openedAt: number, now: number): boolean {
  return Math.abs(openedAt - now) <= DATED_MS;
}

function isSigned(network: Network, round: number, signature: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES) return false;
  const { shortSignatures } = bls12_381;
  try {
    // An encoding that is not canonical would be another signature, and so another randomness.
    const { Signature } = shortSignatures;
    if (!isSame(Signature.toBytes(Signature.fromHex(signature)), signature)) return false;
    const message = shortSignatures.hash(sha256(u64(round)), DOMAIN);
    return shortSignatures.verify(signature, message, fromHex(network.publicKey));
  } catch {
    return false;
  }
}
