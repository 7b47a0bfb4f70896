/**
 * Whom a client's calls are for: its token, taken anew from its source when it is no longer good. A
 * token for somebody else is not taken: a seat is its player's alone.
 */

import { textOf } from "./bytes.js";

/** A token, or a function that gives one: it is asked again when the dealer takes the token no longer. */
export type TokenSource = string | (() => string | Promise<string>);

export class Bearer {
  readonly player: string;
  readonly #read: () => string | Promise<string>;
  #token: string;

  private constructor(read: () => string | Promise<string>, token: string) {
    this.#read = read;
    this.#token = token;
    this.player = subjectOf(token);
  }

  /** Reads the first token; TypeError for one that names nobody. */
  static async from(source: TokenSource): Promise<Bearer> {
    const read = typeof source === "string" ? () => source : source;
    return new Bearer(read, await read());
  }

  get token(): string {
    return this.#token;
  }

  /** Looks for another token than the one that was used; false where there is none. */
  async renew(used: string): Promise<boolean> {
    if (this.#token === used) {
      try {
        const fresh = await this.#read();
        if (subjectOf(fresh) === this.player) this.#token = fresh;
      } catch {
        return false;
      }
    }
    return this.#token !== used;
  }
}

/** Reads whom a token is for; the dealer verifies it. */
function subjectOf(token: string): string {
  try {
    const body = (token.split(".")[1] ?? "").replace(/-/g, "+").replace(/_/g, "/");
    const text = textOf(Uint8Array.from(atob(body), (one) => one.charCodeAt(0)));
    const { sub } = JSON.parse(text ?? "") as { readonly sub?: unknown };
    if (typeof sub === "string" && sub !== "") return sub;
  } catch {
    // Said below.
  }
  throw new TypeError("the token is not a JWT that names its subject");
}
