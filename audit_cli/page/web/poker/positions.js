/**
 * Who is where: left of a seat, the button, the blinds (PROTOCOL.md section 8).
 *
 * "Left" is the next higher seat number, and after the highest the lowest. Places are
 * {button, small, big, dead}: `dead` tells that nobody is dealt in where the small blind stands.
 * The hand before is {button, isVoid, places, dealtIn}: places are null before a first hand, the
 * button is 0 where there was none.
 */

/** The hand before a game's first one. */
export const NO_HAND_BEFORE = Object.freeze({
  button: 0,
  isVoid: false,
  places: null,
  dealtIn: new Set(),
});

/**
 * The seats going to the left, first the next one behind `after`; `after` itself comes last.
 * @param {Iterable<number>} seats in any order
 * @param {number} after a seat, taken or not
 * @returns {number[]}
 */
export function clockwise(seats, after) {
  const rising = [...seats].sort((one, other) => one - other);
  return [...rising.filter((seat) => seat > after), ...rising.filter((seat) => seat <= after)];
}

/** Where button and blinds stand as an opening says. */
export function readPlaces(opened) {
  const small = opened.small_blind_seat;
  return Object.freeze({
    button: opened.button,
    small: small ?? opened.dead_small_blind_seat ?? 0,
    big: opened.big_blind_seat,
    dead: small === undefined,
  });
}

/**
 * Where button and blinds stand with these seats dealt in, two at least.
 * @param {"moving"|"dead"} kind how the button goes round
 * @param {Iterable<number>} dealtIn
 * @param before the hand before
 */
export function findPlaces(kind, dealtIn, before) {
  const seats = new Set(dealtIn);
  return kind === "dead" ? placesOfDeadButton(seats, before) : placesOfMovingButton(seats, before);
}

function placesOfMovingButton(dealtIn, before) {
  let [button] = clockwise(dealtIn, before.button);
  if (before.isVoid && dealtIn.has(before.button)) button = before.button;
  const [first, second] = clockwise(dealtIn, button);
  const [small, big] = dealtIn.size === 2 ? [button, first] : [first, second];
  return Object.freeze({button, small, big, dead: false});
}

function placesOfDeadButton(dealtIn, before) {
  const last = before.places;
  if (last === null || (before.isVoid && !areUnchanged(last, dealtIn, before.dealtIn))) {
    return placesOfMovingButton(dealtIn, before);
  }
  if (before.isVoid) return last;
  // Of two seats the one that had the big blind comes last here, so that the other has it now.
  const [big] = clockwise(dealtIn, last.big);
  if (dealtIn.size === 2) {
    const [small] = [...dealtIn].filter((seat) => seat !== big);
    return Object.freeze({button: small, small, big, dead: false});
  }
  const small = last.big;
  // Where a newcomer between them has the big blind now, the button is right of the small blind.
  const right = [...dealtIn].filter((seat) => seat !== small);
  const button = last.small === big ? clockwise(right, small).at(-1) : last.small;
  return Object.freeze({button, small, big, dead: !dealtIn.has(small)});
}

/** The seats between the button's and the small blind's, going clockwise, both not included. */
export function listBetween(seats, {button, small}) {
  const distance = (one) => (one - button + 10) % 10;
  return [...seats].filter((seat) => distance(seat) > 0 && distance(seat) < distance(small));
}

/** Whether a void hand's three seats are dealt in, or not, as they were then. */
function areUnchanged(places, now, then) {
  const isAsThen = (seat) => now.has(seat) === then.has(seat);
  const seats = [places.button, places.small, places.big];
  return seats.every(isAsThen) && (now.size === 2) === (then.size === 2);
}

/**
 * Whether a blind that went clockwise from one seat to another is at `seat` or has passed it:
 * of two places that are one seat, nobody.
 */
export function isReached(seat, from, to) {
  const distance = (one) => (one - from + 9) % 10;
  return from !== to && distance(seat) <= distance(to);
}

/** Places in words. */
export function tellPlaces(places) {
  const small = `${places.dead ? "dead small blind at" : "small blind"} ${places.small}`;
  return `button ${places.button}, ${small}, big blind ${places.big}`;
}
