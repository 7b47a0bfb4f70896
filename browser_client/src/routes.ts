/**
 * Where calls go: to a proxy before the dealers, and through it to the owner of a game.
 *
 * Each call about a game bears the metadata `cutcard-game`. A node that deals it not itself names
 * the one that does (GAME_ELSEWHERE), and the game's calls bear its name as `cutcard-node` from then
 * on, until it does not answer; then the next address is taken, too.
 */

import { createClient, type Client, type Transport } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";

import { FairnessService } from "./generated/cutcard/v1/fairness_pb.js";
import { PlayService } from "./generated/cutcard/v1/play_pb.js";

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
const NODE = /^[A-Za-z0-9._-]{1,128}$/;

/** The services at one address. */
export interface Services {
  readonly play: Client<typeof PlayService>;
  readonly fairness: Client<typeof FairnessService>;
}

/** What a call about a game is made with. */
export interface Route {
  readonly services: Services;
  readonly address: string;
  readonly node: string | undefined;
}

/** Makes what carries calls to an address. */
export type MakeTransport = (address: string) => Transport;

export interface RouteOptions {
  /** Also addresses without TLS that are not of this machine: whoever listens reads the token. */
  readonly allowPlaintext?: boolean;
  readonly transport?: MakeTransport;
}

export class Routes {
  readonly #addresses: readonly string[];
  readonly #services = new Map<string, Services>();
  readonly #transport: MakeTransport;
  readonly #nodes = new Map<string, string>();
  readonly #moved = new EventTarget();
  #at = 0;

  /** TypeError for an address that can not be used. */
  constructor(addresses: readonly string[], options: RouteOptions = {}) {
    if (addresses.length === 0) throw new TypeError("name the address of a dealer");
    this.#addresses = addresses.map((one) => checked(one, options.allowPlaintext ?? false));
    this.#transport = options.transport ?? overGrpcWeb;
  }

  /** Gives where a call about a game goes now ("" for none). */
  of(game: string): Route {
    const address = this.#addresses[this.#at % this.#addresses.length] ?? "";
    let services = this.#services.get(address);
    if (services === undefined) {
      const transport = this.#transport(address);
      services = {
        play: createClient(PlayService, transport),
        fairness: createClient(FairnessService, transport),
      };
      this.#services.set(address, services);
    }
    return { services, address, node: this.#nodes.get(game) };
  }

  /** Learns which node deals a game; false for what can be no node's name. */
  nameOwner(game: string, node: string): boolean {
    if (!NODE.test(node)) return false;
    if (this.#nodes.get(game) !== node) {
      this.#nodes.set(game, node);
      this.#moved.dispatchEvent(new Event(game));
    }
    return true;
  }

  /** Learns that a call by a route got no answer. */
  lost(game: string, route: Route): void {
    if (route.node !== undefined) {
      if (this.#nodes.get(game) === route.node) this.#nodes.delete(game);
    } else if (this.of(game).address === route.address) {
      this.#at += 1;
    }
  }

  /** A game that goes on from another is dealt where that was, until a node says otherwise. */
  goOn(game: string, next: string): void {
    const node = this.#nodes.get(game);
    if (node !== undefined && !this.#nodes.has(next)) this.#nodes.set(next, node);
  }

  /** Calls back once when another node is named for a game; gives what ends that. */
  onMove(game: string, moved: () => void): () => void {
    this.#moved.addEventListener(game, moved, { once: true });
    return () => {
      this.#moved.removeEventListener(game, moved);
    };
  }
}

/** The metadata of a call about a game. */
export function headersOf(token: string, game: string, route: Route): HeadersInit {
  return {
    authorization: `Bearer ${token}`,
    ...(game !== "" && { "cutcard-game": game }),
    ...(route.node !== undefined && { "cutcard-node": route.node }),
  };
}

function checked(address: string, allowPlaintext: boolean): string {
  const url = new URL(address);
  const isSafe = url.protocol === "https:";
  const isAllowed = url.protocol === "http:" && (allowPlaintext || LOOPBACK.test(url.hostname));
  if (!isSafe && !isAllowed) {
    throw new TypeError(`${address} is not https: a token and cards would go in the clear`);
  }
  if (url.username !== "" || url.search !== "" || url.hash !== "") {
    throw new TypeError(`${url.origin} is to be given without user, query or fragment`);
  }
  return url.href.replace(/\/$/, "");
}

/** A call carries its token itself; cookies of the dealer's site are none of its business. */
function overGrpcWeb(address: string): Transport {
  return createGrpcWebTransport({
    baseUrl: address,
    fetch: (input, init) =>
      fetch(input, { ...init, credentials: "omit", cache: "no-store", redirect: "error" }),
  });
}
