/**
 * Small parts from which the exact shapes of lines are built: types, ranges, fields.
 *
 * A shape is a function that gives null for a value of the shape, or in words what is wrong with
 * it, beginning with the path to the field. Objects have exactly their fields, in ascending order:
 * an unknown one is as wrong as a missing one. Order among items and agreement between entries are
 * for the checks to judge.
 */

import {printable, quoted} from "./words.js";

const LARGEST = Number.MAX_SAFE_INTEGER;

/** Whether a value of JSON is an object. */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A whole number from `low` to `high`. */
export function integerShape(low = 0, high = LARGEST) {
  const wrong = ` is no integer from ${low} to ${high}`;
  return (value) => (Number.isSafeInteger(value) && value >= low && value <= high ? null : wrong);
}

function patternShape(pattern, wrong) {
  return (value) => (typeof value === "string" && pattern.test(value) ? null : wrong);
}

/** `length` bytes in lower-case hex. */
export function hexShape(length) {
  const pattern = new RegExp(`^[0-9a-f]{${2 * length}}$`);
  return patternShape(pattern, ` is not ${length} bytes in lower-case hex`);
}

/** One of a closed set of words. */
export function choiceShape(...words) {
  const allowed = new Set(words);
  const wrong = ` is none of ${words.join(", ")}`;
  return (value) => (typeof value === "string" && allowed.has(value) ? null : wrong);
}

/** What is of one shape or of the other; what is of neither is told by the first. */
export function eitherShape(one, other) {
  return (value) => {
    const wrong = one(value);
    return wrong === null || other(value) === null ? null : wrong;
  };
}

/** A list of `low` to `high` items of one shape. */
export function listShape(item, low = 0, high = Infinity) {
  return (value) => {
    if (!Array.isArray(value)) {
      return " is no list";
    }
    if (value.length < low || value.length > high) {
      const most = high === Infinity ? "" : ` to ${high}`;
      return ` has ${value.length} items, not ${low}${most}`;
    }
    for (let at = 0; at < value.length; at += 1) {
      const wrong = item(value[at]);
      if (wrong !== null) {
        return `[${at}]${wrong}`;
      }
    }
    return null;
  };
}

/**
 * An object with all `required` fields, any of `optional` ones, and no other, in ascending order.
 *
 * `together` names the sets of optional fields that may stand beside each other, all others being
 * refused. `also` judges the object when each field is right alone.
 */
export function fieldsShape(required, optional = {}, {together = null, also = null} = {}) {
  const wanted = Object.entries(required);
  const needed = new Set(Object.keys(required));
  const others = new Map(Object.entries(optional));
  const ways = together?.map((names) => names.join(" and ") || "none").join(" or ");
  const sets = new Set(together?.map((names) => [...names].sort().join(" ")));

  function judgePresence(value) {
    for (const name of needed) {
      if (!Object.hasOwn(value, name)) {
        return ` has no field ${name}`;
      }
    }
    return null;
  }

  /** Judges the fields that are not needed, in their order. */
  function judgeOthers(value, names) {
    for (const [at, name] of names.entries()) {
      if (at > 0 && name < names[at - 1]) {
        return " has its fields out of order";
      }
      if (!needed.has(name)) {
        const shape = others.get(name);
        if (shape === undefined) {
          return ` has the unknown field ${quoted(printable(name))}`;
        }
        const wrong = shape(value[name]);
        if (wrong !== null) {
          return `.${name}${wrong}`;
        }
      }
    }
    return null;
  }

  function judgeTogether(names) {
    const extra = names.filter((name) => !needed.has(name)).join(" ");
    const none = ` has to have, of ${Object.keys(optional).join(", ")}: ${ways}`;
    return together === null || sets.has(extra) ? null : none;
  }

  return (value) => {
    if (!isObject(value)) {
      return " is no object";
    }
    const names = Object.keys(value);
    return judgePresence(value) ?? judgeOthers(value, names) ?? judgeTogether(names)
      ?? judgeFields(value, wanted) ?? also?.(value) ?? null;
  };
}

function judgeFields(value, shapes) {
  for (const [name, shape] of shapes) {
    const wrong = shape(value[name]);
    if (wrong !== null) {
      return `.${name}${wrong}`;
    }
  }
  return null;
}

/** An object whose field `tag` is one of some words, each with its own shape. */
export function taggedShape(tag, shapes) {
  const byWord = new Map(Object.entries(shapes));
  return (value) => {
    if (!isObject(value)) {
      return " is no object";
    }
    if (!Object.hasOwn(value, tag)) {
      return ` has no field ${tag}`;
    }
    const shape = byWord.get(value[tag]);
    if (shape === undefined) {
      return `.${tag} is none of ${[...byWord.keys()].join(", ")}`;
    }
    return shape(value);
  };
}

/** True or false. */
export const booleanShape = (value) => {
  return typeof value === "boolean" ? null : " is neither true nor false";
};
/** A field that is there where something is true, and else left out. */
export const trueShape = (value) => (value === true ? null : " is not true");
/** Any text; whether its characters may stand there is for the reader of the line. */
export const textShape = (value) => (typeof value === "string" ? null : " is no text");
/** A player's name (PROTOCOL.md 1). */
export const playerShape = patternShape(
  /^[A-Za-z0-9._-]{1,64}$/,
  " is no player: 1 to 64 of A-Z a-z 0-9 . _ -",
);
/** A dealer's name (PROTOCOL.md 1). */
export const originShape = patternShape(
  /^(?!.*\/games\/)[a-z0-9./-]{1,128}$/,
  " is no origin: 1 to 128 of a-z 0-9 . / -, without /games/",
);
