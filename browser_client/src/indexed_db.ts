/**
 * Keeps in the browser's IndexedDB, which outlives the page. Appends are transactions of strict
 * durability: they have completed when the browser has flushed them. One page at a time holds a
 * player's game, by a lock that the browser lets go when the page is gone.
 */

import { heldElsewhere, KeepingError, type Drawer, type Keeping, type Kept, type Line } from "./keeping.js";

const STORE = "lines";
const VERSION = 1;

interface Row {
  readonly game: string;
  readonly player: string;
  readonly drawer: Drawer;
  readonly line: string;
}

export class IndexedDbKeeping implements Keeping {
  readonly #name: string;

  /** `name` is the database's: one for each dealer, where a page plays with several. */
  constructor(name = "cutcard") {
    this.#name = name;
  }

  async open(game: string, player: string): Promise<Kept> {
    const letGo = await hold(`${this.#name}/${game}.${player}`);
    if (letGo === undefined) throw heldElsewhere(game, player);
    try {
      // Not there in every browser, nor where a page is not secure.
      const storage = globalThis.navigator.storage as StorageManager | undefined;
      // The browser may clear what is not persistent when space is short: ask, and wait for no answer.
      void storage?.persist().catch(() => false);
      const database = await openDatabase(this.#name);
      const drawers = await readDrawers(database, game, player);
      return new Shelf(database, drawers, game, player, letGo);
    } catch (error) {
      letGo();
      throw error;
    }
  }
}

class Shelf implements Kept {
  constructor(
    readonly database: IDBDatabase,
    readonly drawers: Map<Drawer, string[]>,
    readonly game: string,
    readonly player: string,
    readonly letGo: () => void,
  ) {}

  lines(drawer: Drawer): readonly string[] {
    return this.drawers.get(drawer) ?? [];
  }

  async append(...lines: readonly Line[]): Promise<void> {
    const transaction = this.database.transaction(STORE, "readwrite", { durability: "strict" });
    const store = transaction.objectStore(STORE);
    for (const [drawer, line] of lines) {
      const row: Row = { game: this.game, player: this.player, drawer, line };
      store.add(row);
    }
    await completed(transaction);
    for (const [drawer, line] of lines) {
      this.drawers.set(drawer, [...this.lines(drawer), line]);
    }
  }

  close(): void {
    this.database.close();
    this.letGo();
  }
}

/** Holds a name for this page; undefined where another one has it. */
function hold(name: string): Promise<(() => void) | undefined> {
  // Not there where a page is not secure.
  const locks = globalThis.navigator.locks as LockManager | undefined;
  if (locks === undefined) {
    const message = "this browser has no locks here: a page that plays comes over https";
    return Promise.reject(new KeepingError(message));
  }
  return new Promise((resolve, reject) => {
    locks
      .request(name, { ifAvailable: true }, (lock) => {
        if (lock === null) {
          resolve(undefined);
          return undefined;
        }
        return new Promise<void>((letGo) => {
          resolve(letGo);
        });
      })
      .catch(reject);
  });
}

function openDatabase(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    // It is not there, or throws, where the browser lets the page keep nothing.
    const factory = globalThis.indexedDB as IDBFactory | undefined;
    if (factory === undefined) throw new KeepingError("this browser keeps nothing for this page");
    const request = factory.open(name, VERSION);
    request.onupgradeneeded = () => {
      const store = request.result.createObjectStore(STORE, { autoIncrement: true });
      store.createIndex("of", ["game", "player"]);
    };
    request.onsuccess = () => {
      resolve(request.result);
    };
    request.onerror = () => {
      reject(broken(request.error));
    };
  });
}

async function readDrawers(
  database: IDBDatabase,
  game: string,
  player: string,
): Promise<Map<Drawer, string[]>> {
  const transaction = database.transaction(STORE, "readonly");
  const request = transaction.objectStore(STORE).index("of").getAll([game, player]);
  await completed(transaction);
  const drawers = new Map<Drawer, string[]>();
  for (const { drawer, line } of request.result as Row[]) {
    drawers.set(drawer, [...(drawers.get(drawer) ?? []), line]);
  }
  return drawers;
}

function completed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => {
      resolve();
    };
    transaction.onabort = () => {
      reject(broken(transaction.error));
    };
  });
}

function broken(error: DOMException | null): KeepingError {
  return new KeepingError(`the browser's storage failed: ${error?.message ?? "it was aborted"}`);
}
