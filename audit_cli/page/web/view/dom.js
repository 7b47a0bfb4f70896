/*
 * Elements of the page. Text comes in as text nodes alone, never as markup: a name out of a file
 * can not become part of the page.
 */

const SVG_NAMES = "http://www.w3.org/2000/svg";

/**
 * Make an element of HTML. `attributes`: true stands as an empty attribute, false, null and
 * undefined are left out, `on` is an object of listeners by event. Children are nodes, texts,
 * numbers, lists of these; null, undefined and false are left out.
 */
export function make(name, attributes = {}, ...children) {
  return furnish(document.createElement(name), attributes, children);
}

/** Make an element of SVG, as `make` does for HTML. */
export function draw(name, attributes = {}, ...children) {
  return furnish(document.createElementNS(SVG_NAMES, name), attributes, children);
}

function furnish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") {
      for (const [event, listen] of Object.entries(value)) {
        element.addEventListener(event, listen);
      }
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  put(element, children);
  return element;
}

function put(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) {
      element.append(typeof child === "number" ? String(child) : child);
    }
  }
}

/** Put `children` into `element` in place of what is there. */
export function fill(element, ...children) {
  element.replaceChildren();
  put(element, children);
}

/** Text that is for screen readers alone. */
export function unseen(text) {
  return make("span", {class: "unseen"}, text);
}

/** A name from a file or of one: it can not turn the direction of the words around it. */
export function named(text, attributes = {}) {
  return make("bdi", attributes, text);
}

/** Give a number with its thousands apart: 12,345. */
export function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Give a count with its noun: "1 hand", "2 hands". */
export function countWords(number, noun, nouns = `${noun}s`) {
  return `${grouped(number)} ${number === 1 ? noun : nouns}`;
}

/** Give words as a list: "a", "a and b", "a, b and c". */
export function listed(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
