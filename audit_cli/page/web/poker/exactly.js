/**
 * Sums, products and parts of logged values, exactly.
 *
 * A logged value is below 2^53, its sum with others may be above: what a Number can not hold is a
 * BigInt. So no logged value is ever equal to one that is too large, and `<` compares both.
 */

function narrowed(whole) {
  const fits = whole <= Number.MAX_SAFE_INTEGER && whole >= Number.MIN_SAFE_INTEGER;
  return fits ? Number(whole) : whole;
}

/** One and other. */
export function addExactly(one, other) {
  if (typeof one === "number" && typeof other === "number" && Number.isSafeInteger(one + other)) {
    return one + other;
  }
  return narrowed(BigInt(one) + BigInt(other));
}

/** One less other. */
export function lessExactly(one, other) {
  return addExactly(one, -other);
}

/** One times other. */
export function timesExactly(one, other) {
  return narrowed(BigInt(one) * BigInt(other));
}

/** Both parts of a division of whole numbers from 0 on: [quotient, rest]. */
export function divideExactly(amount, by) {
  const [whole, part] = [BigInt(amount), BigInt(by)];
  return [narrowed(whole / part), narrowed(whole % part)];
}
