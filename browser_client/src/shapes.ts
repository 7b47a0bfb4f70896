/**
 * What JSON values must look like, as checks that are put together. A check looks at a value and
 * gives it back with its type, or refuses it as a breach LINE that says where.
 */

import { ProtocolBreach } from "./refusing.js";

export type Check<T> = (value: unknown, where: string) => T;

/** A field that may be left out. */
export interface Optional<T> {
  readonly optional: Check<T>;
}

type Fields = Readonly<Record<string, Check<unknown> | Optional<unknown>>>;
type Of<F> = F extends Check<infer T> ? T : F extends Optional<infer T> ? T : never;
type RequiredNames<F> = { [K in keyof F]: F[K] extends Check<unknown> ? K : never }[keyof F];
export type Shape<F> = { readonly [K in RequiredNames<F>]: Of<F[K]> } & {
  readonly [K in Exclude<keyof F, RequiredNames<F>>]?: Of<F[K]>;
};

/** Refuses a value. */
export function fail(where: string, why: string): never {
  throw new ProtocolBreach("LINE", `${where}: ${why}`);
}

export function optional<T>(check: Check<T>): Optional<T> {
  return { optional: check };
}

/** A whole number from `low` to `high`. */
export function integer(low: number, high: number): Check<number> {
  return (value, where) =>
    typeof value === "number" && Number.isInteger(value) && value >= low && value <= high
      ? value
      : fail(where, `it is not an integer from ${low} to ${high}`);
}

/** A text that a pattern matches whole; `what` says what it is then. */
export function text(pattern: RegExp, what: string): Check<string> {
  return (value, where) =>
    typeof value === "string" && pattern.test(value) ? value : fail(where, `it is not ${what}`);
}

/** One of these words. */
export function words<W extends string>(...known: readonly W[]): Check<W> {
  return (value, where) =>
    known.find((word) => word === value) ?? fail(where, `it is none of ${known.join(", ")}`);
}

export const boolean: Check<boolean> = (value, where) =>
  typeof value === "boolean" ? value : fail(where, "it is neither true nor false");

/** True, and never false: what is not so is left out. */
export const yes: Check<true> = (value, where) =>
  value === true ? value : fail(where, "it is true, or left out");

/** A list of so many members or more. */
export function list<T>(member: Check<T>, least = 0): Check<readonly T[]> {
  return (value, where) => {
    if (!Array.isArray(value) || value.length < least) {
      return fail(where, `it is not a list of ${least} or more`);
    }
    return value.map((one, index) => member(one, `${where}[${index}]`));
  };
}

/** A list whose members rise strictly, by what `key` gives of each. */
export function rising<T>(
  member: Check<T>,
  key: (one: T) => number | string,
  least = 0,
): Check<readonly T[]> {
  return ruled(list(member, least), (members, where) => {
    for (const [index, one] of members.entries()) {
      const before = members[index - 1];
      if (before !== undefined && !(key(before) < key(one))) fail(where, "it does not rise");
    }
  });
}

/** An object: every field that is not optional, and none that is unknown. */
export function object<const F extends Fields>(fields: F): Check<Shape<F>> {
  const known = new Map(Object.entries(fields));
  return (value, where) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return fail(where, "it is not an object");
    }
    const given = new Map(Object.entries(value));
    for (const name of given.keys()) {
      if (!known.has(name)) fail(where, `it has no field ${JSON.stringify(name.slice(0, 40))}`);
    }
    const read: Record<string, unknown> = {};
    for (const [name, field] of known) {
      const member: unknown = given.get(name);
      if (typeof field === "function") {
        if (!given.has(name)) fail(where, `the field ${name} is missing`);
        read[name] = field(member, `${where}.${name}`);
      } else if (given.has(name)) {
        read[name] = field.optional(member, `${where}.${name}`);
      }
    }
    return read as Shape<F>;
  };
}

/** A value's parts, then a rule over the whole of it. */
export function ruled<T>(parts: Check<T>, rule: (value: T, where: string) => void): Check<T> {
  return (value, where) => {
    const read = parts(value, where);
    rule(read, where);
    return read;
  };
}

const bytes = (count: number): Check<string> =>
  text(new RegExp(`^[0-9a-f]{${2 * count}}$`), `${count} bytes in lower-case hex`);

export const AMOUNT = integer(0, Number.MAX_SAFE_INTEGER);
export const COUNT = integer(1, Number.MAX_SAFE_INTEGER);
export const SEAT = integer(1, 10);
export const PLAYER = text(/^[A-Za-z0-9._-]{1,64}$/, "a player's name");
export const PLAIN = text(/^[ -~]{1,128}$/, "a text of 1 to 128 characters");
export const BYTES16 = bytes(16);
export const BYTES32 = bytes(32);
