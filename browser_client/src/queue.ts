/** Events in one line, for who iterates over them. */
export class Queue<T> implements AsyncIterableIterator<T> {
  readonly #waiting: T[] = [];
  #wakes: (() => void)[] = [];
  #end: { readonly error?: Error } | undefined;

  put(one: T): void {
    if (this.#end !== undefined) return;
    this.#waiting.push(one);
    this.#rouse();
  }

  /** Ends the line behind what is in it, with an error where there is one. */
  end(error?: unknown): void {
    const thrown = error instanceof Error ? error : new Error(String(error));
    this.#end ??= error === undefined ? {} : { error: thrown };
    this.#rouse();
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    for (;;) {
      const [first] = this.#waiting;
      if (first !== undefined) {
        this.#waiting.shift();
        return { done: false, value: first };
      }
      if (this.#end !== undefined) {
        const { error } = this.#end;
        this.#end = {};
        if (error !== undefined) throw error;
        return { done: true, value: undefined };
      }
      await new Promise<void>((wake) => {
        this.#wakes.push(wake);
      });
    }
  }

  /** Has all who wait look again: several may. */
  #rouse(): void {
    for (const wake of this.#wakes.splice(0)) wake();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
