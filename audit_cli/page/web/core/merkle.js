/**
 * RFC 6962 Merkle trees over leaf hashes: roots at any size, inclusion paths, and their proof.
 *
 * A tree keeps the roots of all perfect subtrees, level by level, each level hashed in one go. The
 * root at any smaller size, and every path, follows from these with a few more hashes.
 */

import {fromHex, sameBytes, toHex} from "./bytes.js";
import {sha256, sha256All} from "./hashing.js";

export const HASH_BYTES = 32;
/** More hashes than any path can have are refused (sizes stay below 2^63). */
export const MAX_PATH = 63;

const EMPTY_TREE_ROOT = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** SHA-256(0x00 ‖ data) (RFC 6962 2.1). */
export function leafHash(data) {
  const input = new Uint8Array(1 + data.length);
  input.set(data, 1);
  return sha256(input);
}

/** SHA-256(0x01 ‖ left ‖ right) (RFC 6962 2.1). */
function nodeHash(left, right) {
  return sha256(nodeInput(left, right));
}

function nodeInput(left, right) {
  const input = new Uint8Array(1 + 2 * HASH_BYTES);
  input[0] = 1;
  input.set(left, 1);
  input.set(right, 1 + HASH_BYTES);
  return input;
}

/** The root of a tree without a leaf. */
function emptyRoot() {
  return fromHex(EMPTY_TREE_ROOT);
}

/**
 * The tree of some leaf hashes: {size, levels}, where `levels[k][i]` is the root of the leaves
 * from i·2^k to (i+1)·2^k.
 */
export async function treeOf(leaves) {
  const levels = [leaves];
  let level = leaves;
  while (level.length > 1) {
    const inputs = [];
    for (let at = 0; at + 1 < level.length; at += 2) {
      inputs.push(nodeInput(level[at], level[at + 1]));
    }
    level = await sha256All(inputs);
    levels.push(level);
  }
  return {size: leaves.length, levels};
}

/** The root of the first `size` leaves of a tree (all of them where none is named). */
export async function rootAt(tree, size = tree.size) {
  if (size === 0) {
    return emptyRoot();
  }
  return rootOfRange(tree, 0, size);
}

/** The roots of a tree at several sizes: a Map from size to 32 bytes. */
export async function rootsAt(tree, sizes) {
  const wanted = [...new Set(sizes)].filter((size) => size <= tree.size);
  const roots = new Map();
  for (let from = 0; from < wanted.length; from += 256) {
    const batch = wanted.slice(from, from + 256);
    const found = await Promise.all(batch.map((size) => rootAt(tree, size)));
    batch.forEach((size, at) => roots.set(size, found[at]));
  }
  return roots;
}

/** The root of the leaves from `low` up to `high`, where `low` begins a subtree of that size. */
async function rootOfRange(tree, low, high) {
  const peaks = [];
  let at = low;
  while (at < high) {
    let height = Math.floor(Math.log2(high - at));
    // The logarithm of a large number is rounded; subtrees begin at multiples of their size.
    while (2 ** height > high - at || at % 2 ** height !== 0) {
      height -= 1;
    }
    peaks.push(tree.levels[height][at / 2 ** height]);
    at += 2 ** height;
  }
  let root = peaks.pop();
  while (peaks.length > 0) {
    root = await nodeHash(peaks.pop(), root);
  }
  return root;
}

/** The inclusion path, leaf to root, of the leaf at `index` among the first `size` leaves. */
export async function inclusionPath(tree, index, size = tree.size) {
  const path = [];
  let low = 0;
  let high = size;
  while (high - low > 1) {
    let half = 1;
    while (2 * half < high - low) {
      half *= 2;
    }
    const middle = low + half;
    if (index < middle) {
      path.push(await rootOfRange(tree, middle, high));
      high = middle;
    } else {
      path.push(await rootOfRange(tree, low, middle));
      low = middle;
    }
  }
  return path.reverse();
}

/**
 * What each hash of an inclusion path makes (RFC 9162 2.1.3.2): {steps, wrong}. A step is {side,
 * sibling, node}: the path's hash stood on that `side` ("left" or "right"), `node` came out.
 * `wrong` is null when the leaf hash is at `index` of the tree of `size` with `root`, else the
 * reason. Index and size are whole Numbers or BigInts.
 */
export async function followPath(index, size, leaf, path, root) {
  const steps = [];
  const refused = (wrong) => ({steps, wrong});
  if (!(index >= 0 && index < size)) {
    return refused(`index ${index} is not within a tree of size ${size}`);
  }
  if (path.length > MAX_PATH) {
    return refused(`a proof of ${path.length} hashes; at most ${MAX_PATH} are possible`);
  }
  if ([leaf, root, ...path].some((hash) => hash.length !== HASH_BYTES)) {
    return refused(`a hash that is not ${HASH_BYTES} bytes`);
  }
  let place = BigInt(index);
  let last = BigInt(size) - 1n;
  let node = leaf;
  for (const sibling of path) {
    if (last === 0n) {
      return refused(`the proof has more than the hashes that size ${size} needs`);
    }
    const left = (place & 1n) === 1n || place === last;
    node = left ? await nodeHash(sibling, node) : await nodeHash(node, sibling);
    steps.push({side: left ? "left" : "right", sibling, node});
    if (left) {
      while ((place & 1n) === 0n && place !== 0n) {
        place >>= 1n;
        last >>= 1n;
      }
    }
    place >>= 1n;
    last >>= 1n;
  }
  if (last !== 0n) {
    const needed = `index ${index} of size ${size} needs`;
    return refused(`the proof has fewer than the hashes that ${needed}`);
  }
  return refused(sameBytes(node, root) ? null : "the proof leads to another root");
}

/** The steps that `followPath` tells, their hashes in hex. */
export function stepsInHex(steps) {
  return steps.map(({side, sibling, node}) => {
    return {side, sibling: toHex(sibling), node: toHex(node)};
  });
}
