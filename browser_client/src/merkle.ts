/** The Merkle tree of a log's lines (RFC 6962 2.1), which grows a line at a time. */

import { joined } from "./bytes.js";
import { sha256 } from "./hashing.js";

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** The leaf hash of a line. */
export function leafHash(line: Uint8Array): Uint8Array {
  return sha256(joined(LEAF, line));
}

/** The hash of an inner node. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(joined(NODE, left, right));
}

/** All complete subtrees of the lines so far, so that the root of any beginning is at hand. */
export class Tree {
  readonly #levels: Uint8Array[][] = [[]];

  get size(): number {
    return this.#levels[0]?.length ?? 0;
  }

  append(leaf: Uint8Array): void {
    let node = leaf;
    for (const level of this.#levels) {
      level.push(node);
      if (level.length % 2 === 1) return;
      node = nodeHash(level[level.length - 2] ?? node, node);
    }
    this.#levels.push([node]);
  }

  /** The root of the first `size` lines; RangeError beyond the tree. */
  root(size = this.size): Uint8Array {
    if (!Number.isInteger(size) || size < 0 || size > this.size) {
      throw new RangeError(`a tree of ${this.size} lines has no root at ${size}`);
    }
    let root: Uint8Array | undefined;
    for (let height = 0; 2 ** height <= size; height += 1) {
      const end = Math.floor(size / 2 ** height);
      if (end % 2 === 0) continue;
      const subtree = this.#levels[height]?.[end - 1];
      if (subtree === undefined) throw new RangeError("the tree lacks one of its own subtrees");
      root = root === undefined ? subtree : nodeHash(subtree, root);
    }
    return root ?? sha256(new Uint8Array());
  }
}
